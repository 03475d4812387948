use proptest::prelude::*;

use super::*;

fn forms(mangled: &str) -> (String, String) {
    let name = name(mangled);
    (name.key, name.qualified)
}

fn pair(key: &str, qualified: &str) -> (String, String) {
    (key.to_owned(), qualified.to_owned())
}

#[test]
fn plain_names() {
    assert_eq!(forms("plain_c"), pair("plain_c", "plain_c"));
    assert_eq!(forms("_Z7boundedPfPKf"), pair("bounded(float*, float const*)", "bounded"));
    assert_eq!(
        forms("_ZN2ns7softmaxIfLi4EEEvPfi"),
        pair("void ns::softmax<float, 4>(float*, int)", "ns::softmax")
    );
    assert_eq!(
        forms("_ZN1q4packILi3EJiPfEEEvDpT0_"),
        pair("void q::pack<3, int, float*>(int, float*)", "q::pack")
    );
    assert_eq!(forms("_ZN1q2fpIXadL_ZNS_2sqEfEEEEvPf").1, "q::fp");
    assert_eq!(forms("_Z3runIZ2l3PfEUlS0_E_EvT_S0_").1, "run");
    assert_eq!(
        forms("_ZN16spark_rapids_jni6detail12copy_to_rowsINS0_30fixed_width_row_offset_functorEEEviiiN4cudf11device_spanIKNS0_9tile_infoELm18446744073709551615EEEPPKaPKiSC_T_SC_PPa").1,
        "spark_rapids_jni::detail::copy_to_rows"
    );
}

/// `suite.cu` and units without exported symbols, compiled at two places by nvcc 13.0 and 13.5.
#[test]
fn internal_linkage_leaves_no_trace() {
    let anon = pair("(anonymous namespace)::anon(float*)", "(anonymous namespace)::anon");
    for mangled in [
        "_ZN40_GLOBAL__N__4c799105_8_suite_cu_813960bc4anonEPf",
        "_ZN40_GLOBAL__N__69ba83fd_8_suite_cu_813960bc4anonEPf",
        "__nv_static_29__4c799105_8_suite_cu_813960bc__ZN40_GLOBAL__N__4c799105_8_suite_cu_813960bc4anonEPf",
        "__nv_static_29__69ba83fd_8_suite_cu_813960bc__ZN40_GLOBAL__N__69ba83fd_8_suite_cu_813960bc4anonEPf",
    ] {
        assert_eq!(forms(mangled), anon, "{mangled}");
    }
    let template = pair("void (anonymous namespace)::lt<float>(float*)", "(anonymous namespace)::lt");
    for mangled in [
        "_ZN46_GLOBAL__N__df2f5812_9_nostat_cu_c7c229c6_80382ltIfEEvPT_",
        "_ZN46_GLOBAL__N__df2f5812_9_nostat_cu_c7c229c6_82082ltIfEEvPT_",
        "__nv_static_35__df2f5812_9_nostat_cu_c7c229c6_8055__ZN46_GLOBAL__N__df2f5812_9_nostat_cu_c7c229c6_80552ltIfEEvPT_",
    ] {
        assert_eq!(forms(mangled), template, "{mangled}");
    }
    assert_eq!(
        forms("_ZN2ns2s4INS_37_GLOBAL__N__e5afeed4_5_st_cu_d589cb603TagEEEvPf"),
        pair("void ns::s4<ns::(anonymous namespace)::Tag>(float*)", "ns::s4")
    );
    assert_eq!(
        forms("__nv_static_26__e5afeed4_5_st_cu_d589cb60__ZN2ns2s2EPf"),
        pair("ns::s2(float*)", "ns::s2")
    );
    assert_eq!(forms("__nv_static_26__e5afeed4_5_st_cu_d589cb60_in_c"), pair("in_c", "in_c"));
    assert_eq!(
        forms("_ZN50_INTERNAL_28_cuda_equi_compute_30_cpp1_ii_1f510c1d11__shfl_syncEjiii"),
        pair("__shfl_sync(unsigned int, int, int, int)", "__shfl_sync")
    );
}

#[test]
fn libraries_versions_leave_no_trace_in_keys() {
    let old = name("_ZN3cub17CUB_300001_SM_9006detail11EmptyKernelIvEEvv");
    let new = name("_ZN3cub16_V_300500_SM_9006detail11EmptyKernelIvEEvv");
    let older = name("_ZN3cub17CUB_200802_900_NS6detail11EmptyKernelIvEEvv");
    assert_eq!(old.key, "void cub::detail::EmptyKernel<void>()");
    assert_eq!((&new.key, &older.key), (&old.key, &old.key));
    assert_eq!(old.qualified, "cub::detail::EmptyKernel");
    assert_eq!(old.demangled, "void cub::CUB_300001_SM_900::detail::EmptyKernel<void>()");
    let plus = name("_Z1kIN4cuda3std3__44plusIvEEEvPfT_");
    let deeper = name("void k<(cuda::execution::__4::determinism::kind)1>(my::__4::T)");
    assert_eq!(deeper.key, "void k<(cuda::execution::determinism::kind)1>(my::__4::T)");
    assert_eq!(plus.key, "void k<cuda::std::plus<void> >(float*, cuda::std::plus<void>)");
}

#[test]
fn names_that_are_demangled_already_stay() {
    let printed = "searchkernel(octree, int*, double, int, double*, double*, double*)";
    assert_eq!(forms(printed), pair(printed, "searchkernel"));
    assert_eq!(
        forms("void ns::_GLOBAL__N__12ab_4_a_cu_77::k<int>(int)"),
        pair("void ns::(anonymous namespace)::k<int>(int)", "ns::(anonymous namespace)::k")
    );
    assert_eq!(forms("<unnamed kernel at line 3>").1, "<unnamed kernel at line 3>");
}

#[test]
fn operators_and_lambdas() {
    for (text, expected) in [
        ("ns::S::operator()(int) const", "ns::S::operator()"),
        ("std::ostream& ns::operator<< <int>(std::ostream&, int)", "ns::operator<<"),
        ("bool operator<(A, B)", "operator<"),
        ("bool operator< <int>(A, B)", "operator<"),
        ("bool operator==<int>(A, B)", "operator=="),
        ("S::operator int*() const", "S::operator int*"),
        ("int S::operator[](int)", "S::operator[]"),
        ("ns::f(int)::{lambda(int)#1}::operator()(int) const", "ns::f::{lambda(int)#1}::operator()"),
        ("void my_operator<(bool)1, (1>2)>(float*)", "my_operator"),
        ("decltype(f(1)) g<int>(int)", "g"),
        ("unsigned int a::b<std::pair<int, float> >(int)", "a::b"),
        ("void (anonymous namespace)::k()", "(anonymous namespace)::k"),
    ] {
        assert_eq!(qualified::qualified(text), expected, "{text}");
    }
    assert_eq!(base("ns::softmax"), "softmax");
    assert_eq!(base("(anonymous namespace)::anon"), "anon");
    assert_eq!(base("plain"), "plain");
    assert_eq!(base("ns::S::operator()"), "operator()");
}

#[test]
fn what_cannot_be_demangled_still_has_a_stable_key() {
    let one = name("_ZN40_GLOBAL__N__4c799105_8_suite_cu_813960bc4anonE@@");
    let two = name("_ZN40_GLOBAL__N__69ba83fd_8_suite_cu_813960bc4anonE@@");
    assert_eq!(one.key, two.key);
    assert_eq!(one.key, "_ZN12_GLOBAL__N_14anonE@@");
}

#[test]
fn hostile_names_are_left_alone() {
    let deep = format!("_Z1f{}i", "P".repeat(5_000));
    assert_eq!(name(&deep).demangled, deep);
    let long = format!("_Z9000{}v", "a".repeat(9_000));
    assert_eq!(name(&long).key, long);
    // Each type doubles the one before.
    let mut blow_up = String::from("_Z1f1aI1bI");
    blow_up.push_str(&(0..60).map(|i| format!("S{}_S{}_", radix36(i), radix36(i))).collect::<String>());
    name(&blow_up);
}

fn radix36(n: u32) -> String {
    let digit = |d| char::from_digit(d, 36).unwrap().to_ascii_uppercase();
    if n < 36 { digit(n).to_string() } else { format!("{}{}", digit(n / 36), digit(n % 36)) }
}

proptest! {
    #[test]
    fn any_name_has_forms(text in any::<String>()) {
        name(&text);
    }

    #[test]
    fn any_mangled_text_has_forms(text in "_Z[0-9A-Za-z_$]{0,80}") {
        name(&text);
    }

    #[test]
    fn any_brackets_are_passed(text in "[a:<>(){}\\[\\] ü*&-]{0,40}|operator[<>=() -]{0,10}") {
        base(&name(&text).qualified);
    }
}
