//! What each log says, worked out by other means than the parser under test; the notation stands in `main.rs`.

pub(crate) const LOGS: &[(&str, &str)] = &[
    (
        "01_cudaminer_163_sm80_textures.log",
        r#"
K sm_80 _Z28fermi_scrypt_core_kernelB_LGILi1EEvPjjj r64 b- s0 f176 c- l- 428/432
K sm_80 _Z28fermi_scrypt_core_kernelB_LGILi0EEvPjjj r64 b- s0 f176 c- l- 452/456
K sm_80 _Z32fermi_scrypt_core_kernelB_LG_texILi1ELi2EEvPjjj r64 b- s0 f160 c- l- 384/384"#,
    ),
    (
        "02_kmcuda_25_sm61.log",
        r#"
K - - r27 b- s32768 f- c- l- -/-
K sm_61 _Z15knn_assign_gmemIL20KMCUDADistanceMetric0EfEvjjtPKfS2_PKT0_S5_PKjS7_S7_Pj r40 b- s0 f32 c- l- 0/0
K sm_61 _Z25knn_calc_cluster_radiusesIL20KMCUDADistanceMetric1EfEvjjPKjS2_PKT0_S5_PfS6_ r27 b- s32768 f16 c- l- 0/0"#,
    ),
    (
        "03_gipuma_43_sm30.log",
        r#"
K sm_30 _Z25gipuma_red_planeRefine_cuIfEvR11GlobalStatei r63 b- s0 f352 c- l- 288/308
K sm_30 _Z28gipuma_red_spatialPropFar_cuIfEvR11GlobalStatei r63 b- s0 f256 c- l- 444/692"#,
    ),
    (
        "06_cunn_265_minnctapersm_warning.log",
        r#"
W - _Z21kernelPointwiseApply2I31logSigmoid_updateOutput_functorIfEffmLin2ELin2EEv10TensorInfoIT0_T2_ES2_IT1_S4_ES4_T_ r- b- s- f- c- l- -/-
W - _Z21kernelPointwiseApply2I31logSigmoid_updateOutput_functorIfEffjLin1ELin1EEv10TensorInfoIT0_T2_ES2_IT1_S4_ES4_T_ r- b- s- f- c- l- -/-
W - _Z21kernelPointwiseApply2I31logSigmoid_updateOutput_functorIfEffmLin2ELin2EEv10TensorInfoIT0_T2_ES2_IT1_S4_ES4_T_ minblocks
W - _Z21kernelPointwiseApply2I31logSigmoid_updateOutput_functorIfEffjLin1ELin1EEv10TensorInfoIT0_T2_ES2_IT1_S4_ES4_T_ minblocks"#,
    ),
    (
        "07_trtllm_2116_C7515.log",
        r#"
W - selp_b16 r- b- s- f- c- l- -/-
I - selp_b16 advisory 7515"#,
    ),
    (
        "08_cutlass_1840_C7511_indented.log",
        r#"
W - _ZN7cutlass13device_kernelI125cutlass3x_sm90_tensorop_s64x256x16gemm_bf16_bf16_f32_bf16_bf16_128x256x64_1x1x1_0_nnn_align8_warpspecialized_pingpong_epi_tmaEEvNT_6ParamsE r- b- s- f- c- l- -/-
W - _ZN7cutlass13device_kernelI123cutlass3x_sm90_tensorop_s64x256x16gemm_bf16_bf16_f32_f32_f32_128x256x64_2x1x1_0_tnn_align8_warpspecialized_pingpong_epi_tmaEEvNT_6ParamsE r- b- s- f- c- l- -/-
I - _ZN7cutlass13device_kernelI125cutlass3x_sm90_tensorop_s64x256x16gemm_bf16_bf16_f32_bf16_bf16_128x256x64_1x1x1_0_nnn_align8_warpspecialized_pingpong_epi_tmaEEvNT_6ParamsE advisory 7511
I - _ZN7cutlass13device_kernelI123cutlass3x_sm90_tensorop_s64x256x16gemm_bf16_bf16_f32_f32_f32_128x256x64_2x1x1_0_tnn_align8_warpspecialized_pingpong_epi_tmaEEvNT_6ParamsE advisory 7511"#,
    ),
    (
        "09_cutlass_3406_C7508.log",
        r#"
I - - setmaxnreg 7508"#,
    ),
    (
        "11_nccl_165_too_big_maxrregcount.log",
        r#"
W - - toobig 96"#,
    ),
    (
        "12_cuml_1130_ptx_line_warning.log",
        r#"
2× W - - other ld"#,
    ),
    (
        "14_solana_perf_libs_65_functions_only.log",
        r#"
D - _Z28ge_double_scalarmult_vartimeP5ge_p2PKhPK5ge_p3S2_860 r- b- s- f2792 c- l- 512/512 after -
D - _Z9fe_invertPiPKi r- b- s- f168 c- l- 164/164 after -
D - _Z6fe_sq2PiPKi r- b- s- f8 c- l- 4/4 after -
D - _Z13sha512_updateP15sha512_context_PKhm r- b- s- f664 c- l- 12/12 after -
D - _Z4fe_0Pi r- b- s- f0 c- l- 0/0 after -"#,
    ),
    (
        "15_learncuda_conv_nvlink_multiarch.log",
        r#"
L sm_52 _Z21convolution_kernel_v1PfS_S_iii r30 b- s0 f0 c0 l0 -/-
L sm_52 _Z21convolution_kernel_v3PfS_S_iii r29 b- s0 f0 c0 l0 -/-
L sm_70 _Z21convolution_kernel_v3PfS_S_iii r37 b- s0 f0 c0 l0 -/-
L sm_75 _Z21convolution_kernel_v3PfS_S_iii r38 b- s0 f0 c0 l0 -/-
L sm_80 _Z21convolution_kernel_v3PfS_S_iii r37 b- s0 f0 c0 l0 -/-"#,
    ),
    (
        "17_torchext_cuda13_sm100_local_mem_warning.log",
        r#"
K sm_100 _Z22fp4_gemv_sm100_ptx_mmaILi64ELi128ELi256EEvPKhS1_S1_S1_P6__halfiii r48 b1 s19456 f64 c64 l- 0/0
K sm_100 _Z18fp4_gemv_naive_onePKhS0_S0_S0_P6__halfiii r36 b0 s0 f0 c- l- 0/0
I sm_100 _Z18fp4_gemv_naive_onePKhS0_S0_S0_P6__halfiii overridden 256>128 maxrregcount option
W sm_100 _Z22fp4_gemv_sm100_ptx_mmaILi64ELi128ELi256EEvPKhS1_S1_S1_P6__halfiii other Local memory used for function '…', size of stack frame: 64 bytes"#,
    ),
    (
        "18_sgemm_sm120_cmake_make.log",
        r#"
K sm_120 _Z16warmed_up_kernelPf r8 b0 s0 f0 c- l- 0/0
K sm_120 _Z28sgemm_register_tiling_kernelPKfS0_Pfiii r128 b1 s8192 f0 c- l- 0/0"#,
    ),
    (
        "19_acos_main_sm1x_lmem_plus_smem_plus.log",
        r#"
K - acos_main r4 b- s84 f- c- l116 -/-"#,
    ),
    (
        "20_notes_tabbed_sm1x.log",
        r#"
K - _Z5tT_1DPfS_S_j r47 b- s44 f- c- l60 -/-"#,
    ),
    (
        "21_windows_vs_chinese_interleaved.log",
        r#"
K sm_61 _Z9addMatrixPiS_S_ii r8 b- s0 f0 c- l- 0/0"#,
    ),
    (
        "23_so_demangled_name_with_commas.log",
        r#"
K sm_20 searchkernel(octree,~int*,~double,~int,~double*,~double*,~double*) r46 b- s0 f72 c- l- 0/0
K sm_20 - r19 b- s0 f- c- l- -/-
K sm_20 - r6 b- s16 f- c- l- -/-"#,
    ),
    (
        "25_sm13_vs_sm20_const_problem.log",
        r#"
K sm_13 _Z22calc_benchmark_func_f1PdS_ r4 b- s24 f- c- l- -/-
K sm_13 _Z7initRNGj r18 b- s20 f- c- l6440 -/-"#,
    ),
    (
        "26_sm10_dummy_entry_double_demotion.log",
        r#"
K sm_10 __cuda_dummy_entry__ r0 b- s0 f- c- l- -/-
W sm_10 - other Double is not supported. Demoting to float"#,
    ),
    (
        "28_cudamat_46_windows_sm20_cmem16.log",
        r#"
K - - r20 b- s128 f- c- l- -/-
K sm_20 _Z17kArgMaxColumnwisePfS_jj r20 b- s256 f0 c- l- 0/0
K sm_20 _Z5kSignPfS_j r9 b- s0 f0 c- l- 0/0"#,
    ),
    (
        "29_mfaktc_32_windows_C9999_fatal.log",
        r#"
E - - other (C9999) max reg limit too low"#,
    ),
    (
        "30_tvm_7623_sm62_regs_per_block_32k.log",
        r#"
K sm_62 fused_vision_non_max_suppression_4_kernel2 r35 b- s0 f0 c- l- 0/0"#,
    ),
    (
        "31_spark_jni_3002_sm75.log",
        r#"
K sm_75 _ZN16spark_rapids_jni6detail12copy_to_rowsINS0_30fixed_width_row_offset_functorEEEviiiN4cudf11device_spanIKNS0_9tile_infoELm18446744073709551615EEEPPKaPKiSC_T_SC_PPa r34 b- s16 f0 c- l- 0/0"#,
    ),
    (
        "32_fuser_3413_cmem4_head.log",
        r#"
K sm_80 _ZN71_GLOBAL__N__00000000_32___tmp_kernel_none_f0_c0_r0_g0_cu_fa818d50_5274224nvfuser_none_f0_c0_r0_g0ENS_6TensorIfLi2ELi2EEES1_ r- b- s- f- c- l- -/-"#,
    ),
    (
        "33_fa3_1410_spill_ok.log",
        r#"
K - - r168 b- s0 f40 c40 l- 96/132"#,
    ),
    (
        "34_fa3_1158_local_memory_warning.log",
        r#"
K sm_90a _ZN5flash10convert_dQI23Flash_bwd_kernel_traitsEEv r- b- s- f- c- l- -/-
W sm_90a _ZN5flash15compute_dqkv_wsI23Flash_bwd_kernel_traitsEEEEv16Flash_bwd_params r- b- s- f248 c- l- -/-
W sm_90a _ZN5flash15compute_dqkv_wsI23Flash_bwd_kernel_traitsEEEEv16Flash_bwd_params other Local memory used for function '…', size of stack frame: 248 bytes"#,
    ),
    (
        "35_xla_prefixed_spill_warning.log",
        r#"
W - gemm_fusion_dot_33264 r- b- s- f- c- l- 28/28
W - gemm_fusion_dot_22 r- b- s- f- c- l- 16/16
W - gemm_fusion_dot_33264 other Registers are spilled to local memory in function '…', 28 bytes spill stores, 28 bytes spill loads
W - gemm_fusion_dot_22 other Registers are spilled to local memory in function '…', 16 bytes spill stores, 16 bytes spill loads"#,
    ),
    (
        "38_cuvs_462_ptxas_regcount_error_debug.log",
        r#"
W - _ZN4cuvs9neighbors5cagra6detail17single_cta_search13search_kernelILj128EEEv r- b- s- f- c- l- -/-
E - _ZN4cuvs9neighbors5cagra6detail17single_cta_search13search_kernelILj128EEEv callee _ZN4cuvs9neighbors5cagra6detail17single_cta_search11search_coreILj128EEEv needs 255 of 64"#,
    ),
    (
        "39_stack_size_warnings.log",
        r#"
W - _Z11scalarFloatixfPfiS_S_iPi r- b- s- f- c- l- -/-
W - reduceDouble1D r- b- s- f- c- l- -/-
W - _ZN6Kokkos4Impl75_GLOBAL__N__51_tmpxft_00000fea_00000000_6_Kokkos_Cuda_Task_cpp1_ii_b2872e7123cuda_task_queue_executeEPNS0_9TaskQueueINS_4CudaEEEi r- b- s- f- c- l- -/-
W - _Z11scalarFloatixfPfiS_S_iPi stack
W - reduceDouble1D stack
W - _ZN6Kokkos4Impl75_GLOBAL__N__51_tmpxft_00000fea_00000000_6_Kokkos_Cuda_Task_cpp1_ii_b2872e7123cuda_task_queue_executeEPNS0_9TaskQueueINS_4CudaEEEi stack"#,
    ),
    (
        "41_unresolved_extern.log",
        r#"
E - - other Unresolved extern function '_Z17getGlobalThreadIDv'
W - - other Unresolved extern variable '_ZTVN10__cxxabiv120__si_class_type_infoE' in whole program compilation, ignoring extern qualifier"#,
    ),
    (
        "42_forum_343323_cuda131_stack_without_spill.log",
        r#"
K sm_90 foo r20 b0 s0 f2496 c2496 l- 0/0"#,
    ),
    (
        "43_cutlass_C75xx_variety.log",
        r#"
W - _ZN7cutlass13device_kernelIxEEvNT_6ParamsE r- b- s- f- c- l- -/-
W - _ZN7cutlass13device_kernelIxEEvT_ r- b- s- f- c- l- -/-
I - _ZN7cutlass13device_kernelIxEEvNT_6ParamsE advisory 7509
I - _ZN7cutlass13device_kernelIxEEvT_ advisory 7510
I - - setmaxnreg 7507"#,
    ),
    (
        "45_gasal_video_multi_gencode_same_kernel.log",
        r#"
K sm_35 _Z7ComputeP5uint4PjjjPiP4int4 r74 b- s0 f0 c- l- 0/0
K sm_52 _Z7ComputeP5uint4PjjjPiP4int4 r72 b- s0 f0 c- l- 0/0"#,
    ),
    (
        "46_clangformat_wrapped_log.log",
        r#"
K - _Z17online_softmax_v3ILi256ELi4096EEvPfS0_ii r38 b- s- f- c- l- 0/0"#,
    ),
    (
        "47_ccminer_36_sm50_255regs_callee_after.log",
        r#"
K sm_50 _Z14digit_last_wdcILj9ELj1248ELi9ELj2E13packer_cantorLj64ELj8ELj4EEvP4equiIXT_EXT0_EE r255 b- s8192 f296 c312 l- 176/312
D sm_50 _ZN50_INTERNAL_28_cuda_equi_compute_30_cpp1_ii_1f510c1d11__shfl_syncEjiii r- b- s- f0 c- l- 0/0 after 0
D sm_50 cudaMalloc r- b- s- f8 c- l- 0/0 after 0"#,
    ),
    (
        "60_local_135_tex_surf_samp.log",
        r#"
K sm_75 k1 r5 b4 s4096 f0 c- l- 0/0
W sm_75 k1 minblocks"#,
    ),
    (
        "62_local_135_overriding_global_maxrregcount.log",
        r#"
K sm_90 k2 r8 b1 s1024 f0 c- l- 0/0
K sm_90 k2 r8 b1 s1024 f0 c- l- 0/0
I sm_90 - overridden 32>128 computed using thread count
I sm_90 - overridden 64>40 .maxnreg"#,
    ),
    (
        "63_local_135_too_much_shared_error.log",
        r#"
K sm_90 k2 r8 b1 s50000 f0 c- l- 0/0
E sm_90 k2 shared 50000/49152"#,
    ),
    (
        "64_local_135_two_arch_warnings_callees.log",
        r#"
K sm_80 _ZN36_GLOBAL__N__7f465729_4_s_cu_b61644584anonEPf r8 b0 s0 f0 c- l- 0/0
K sm_80 _Z4tmplILi128ELi4EEvPf r8 b0 s0 f0 c- l- 0/0
K sm_80 _Z4statPf r8 b0 s0 f0 c- l- 0/0
K sm_80 _Z6dynidxPfi r32 b0 s0 f160 c160 l- 0/0
K sm_80 _Z5recurPf r24 b0 s0 f0 c- l- 0/0
D sm_80 _Z3recPfi r- b- s- f16 c- l- 16/16 after 4
K sm_80 _Z5callsPf r39 b0 s0 f0 c- l- 0/0
D sm_80 _Z6calleePfi r- b- s- f0 c- l- 0/0 after 6
K sm_80 _Z6spillyPf r32 b0 s0 f664 c664 l- 1028/1256
K sm_90a _ZN36_GLOBAL__N__7f465729_4_s_cu_b61644584anonEPf r8 b0 s0 f0 c- l- 0/0
K sm_90a _Z4tmplILi128ELi4EEvPf r8 b0 s0 f0 c- l- 0/0
K sm_90a _Z4statPf r8 b0 s0 f0 c- l- 0/0
K sm_90a _Z6dynidxPfi r31 b0 s0 f160 c160 l- 0/0
K sm_90a _Z5recurPf r24 b0 s0 f0 c- l- 0/0
D sm_90a _Z3recPfi r- b- s- f16 c- l- 16/16 after 13
K sm_90a _Z5callsPf r38 b0 s0 f0 c- l- 0/0
D sm_90a _Z6calleePfi r- b- s- f0 c- l- 0/0 after 15
K sm_90a _Z6spillyPf r32 b0 s0 f648 c648 l- 992/1232
W sm_80 _Z6dynidxPfi other Local memory used for function '…', size of stack frame: 160 bytes
W sm_80 _Z5recurPf stack
W sm_80 _Z3recPfi other Local memory used for function '…', size of stack frame: 16 bytes
W sm_80 _Z3recPfi other Registers are spilled to local memory in function '…', 16 bytes spill stores, 16 bytes spill loads
W sm_80 _Z6spillyPf other Local memory used for function '…', size of stack frame: 664 bytes
W sm_80 _Z6spillyPf other Registers are spilled to local memory in function '…', 1028 bytes spill stores, 1256 bytes spill loads
W sm_90a _Z6dynidxPfi other Local memory used for function '…', size of stack frame: 160 bytes
W sm_90a _Z5recurPf stack
W sm_90a _Z3recPfi other Local memory used for function '…', size of stack frame: 16 bytes
W sm_90a _Z3recPfi other Registers are spilled to local memory in function '…', 16 bytes spill stores, 16 bytes spill loads
W sm_90a _Z6spillyPf other Local memory used for function '…', size of stack frame: 648 bytes
W sm_90a _Z6spillyPf other Registers are spilled to local memory in function '…', 992 bytes spill stores, 1232 bytes spill loads"#,
    ),
    (
        "66_local_135_debug_G.log",
        r#"
D sm_90 _Z6calleePfi r- b- s- f192 c- l- 0/0 after -
D sm_90 _Z3recPfi r- b- s- f24 c- l- 24/24 after -
K sm_90 _Z6spillyPf r20 b0 s0 f256 c256 l- 0/0
K sm_90 _Z5callsPf r36 b0 s0 f0 c192 l- 0/0
K sm_90 _Z5recurPf r24 b0 s0 f0 c- l- 0/0
K sm_90 _Z6dynidxPfi r18 b0 s0 f160 c160 l- 0/0
K sm_90 _Z4tmplILi128ELi4EEvPf r10 b0 s0 f0 c- l- 0/0
K sm_90 _Z4statPf r8 b0 s0 f0 c- l- 0/0
K sm_90 _ZN36_GLOBAL__N__7f465729_4_s_cu_b61644584anonEPf r8 b0 s0 f0 c- l- 0/0
W sm_90 _Z5recurPf stack"#,
    ),
    (
        "68_local_135_werror.log",
        r#"
K sm_90 _ZN36_GLOBAL__N__7f465729_4_s_cu_b61644584anonEPf r8 b0 s0 f0 c- l- 0/0
W sm_90 _Z5recurPf r- b- s- f- c- l- -/-
W sm_90 _Z3recPfi r- b- s- f- c- l- 16/16
W sm_90 _Z6spillyPf r- b- s- f- c- l- 992/1232
E sm_90 _Z5recurPf stack
E sm_90 _Z3recPfi other Registers are spilled to local memory in function '…', 16 bytes spill stores, 16 bytes spill loads
E sm_90 _Z6spillyPf other Registers are spilled to local memory in function '…', 992 bytes spill stores, 1232 bytes spill loads"#,
    ),
    (
        "69_local_135_arch_native_no_gpu.log",
        r#"
W - _Z6spillyPf r- b- s- f- c- l- -/-
W - _Z5recurPf r- b- s- f- c- l- -/-
W - - other Cannot find valid GPU for '-arch=native', default arch is used
W - _Z6spillyPf minblocks
W - _Z5recurPf stack"#,
    ),
    ("70_local_135_cuobjdump_resusage.log", r#""#),
    (
        "made_bigsmem_error.log",
        r#"
K sm_90 _Z3bigPf r14 b1 s80000 f0 c- l- 0/0
E sm_90 _Z3bigPf shared 80000/49152"#,
    ),
    (
        "made_bounds_warn.sm_120.log",
        r#"
K sm_120 _Z7tooManyPd r8 b0 s0 f0 c- l- 0/0
K sm_120 _Z6tooBigPd r8 b0 s0 f0 c- l- 0/0
K sm_120 _Z2clPd r8 b0 s0 f0 c- l- 0/0
K sm_120 _Z2mxPd r24 b0 s0 f40 c40 l- 0/0
D sm_120 __internal_trig_reduction_slowpathd r- b- s- f0 c- l- 0/0 after 3
K sm_120 _Z3lb2Pd r8 b0 s0 f0 c- l- 0/0
K sm_120 _Z3lb3Pd r8 b0 s0 f0 c- l- 0/0
30× W sm_120 - other Program is doing double precision computations.
W sm_120 _Z7tooManyPd minblocks
W sm_120 _Z6tooBigPd minblocks+threads
W sm_120 _Z2mxPd raised 20>24
W sm_120 _Z3lb2Pd minblocks
W sm_120 _Z3lb3Pd minblocks
W sm_120 _Z2mxPd other Local memory used for function '…', size of stack frame: 40 bytes"#,
    ),
    (
        "made_bounds_warn.sm_86.log",
        r#"
E - - other dbl.cu(4): error: __cluster_dims__ is not supported for this GPU architecture
E - - other dbl.cu(4): error: cannot specify max blocks per cluster for this GPU architecture"#,
    ),
    (
        "made_bounds_warn.sm_90.log",
        r#"
K sm_90 _Z7tooManyPd r8 b0 s0 f0 c- l- 0/0
K sm_90 _Z6tooBigPd r8 b0 s0 f0 c- l- 0/0
K sm_90 _Z2clPd r8 b0 s0 f0 c- l- 0/0
K sm_90 _Z2mxPd r24 b0 s0 f40 c40 l- 0/0
D sm_90 __internal_trig_reduction_slowpathd r- b- s- f0 c- l- 0/0 after 3
K sm_90 _Z3lb2Pd r8 b0 s0 f0 c- l- 0/0
K sm_90 _Z3lb3Pd r8 b0 s0 f0 c- l- 0/0
55× W sm_90 - other Program is doing double precision computations.
W sm_90 _Z7tooManyPd minblocks
W sm_90 _Z2mxPd raised 20>24
W sm_90 _Z3lb3Pd minblocks
W sm_90 _Z2mxPd other Local memory used for function '…', size of stack frame: 40 bytes"#,
    ),
    (
        "made_callee_spill.sm_90.log",
        r#"
K sm_90 _Z5kcallPfPKfi r40 b0 s0 f104 c104 l- 0/0
D sm_90 _Z5heavyPKfi r- b- s- f0 c- l- 196/204 after 0"#,
    ),
    (
        "made_debugG.sm_90.log",
        r#"
E - - other Pragma 'enable_smem_spilling' is not allowed for per-function compilation modes"#,
    ),
    ("made_dlto_compile.log", r#""#),
    (
        "made_dlto_link.log",
        r#"
E - - other elfLink linker library load error"#,
    ),
    (
        "made_maxrregcount24.sm_90.log",
        r#"
K sm_90 _ZN40_GLOBAL__N__5d825b9c_8_suite_cu_813960bc4anonEPf r10 b0 s0 f0 c- l- 0/0
K sm_90 _Z9recursivePi r24 b0 s0 f0 c- l- 0/0
D sm_90 _Z3fibi r- b- s- f24 c- l- 20/20 after 1
K sm_90 _Z7dynsmemPf r10 b1 s0 f0 c- l- 0/0
K sm_90 _Z12barriers_dynPfi r10 b16 s256 f0 c- l- 0/0
K sm_90 _Z9barriers8Pf r14 b8 s256 f0 c- l- 0/0
K sm_90 _Z6callerPfi r24 b0 s0 f32 c32 l- 0/0
D sm_90 _Z6calleefi r- b- s- f0 c- l- 0/0 after 6
K sm_90 _Z7printeri r24 b0 s0 f8 c8 l- 0/0
K sm_90 _Z7spillerPfPKf r32 b0 s0 f288 c288 l- 552/584
K sm_90 _Z7boundedPfPKf r14 b1 s1024 f0 c- l- 0/0
K sm_90 _Z11local_arrayPfii r11 b0 s0 f0 c- l- 0/0
I sm_90 _ZN40_GLOBAL__N__5d825b9c_8_suite_cu_813960bc4anonEPf overridden 256>24 maxrregcount option
I sm_90 _Z9recursivePi overridden 256>24 maxrregcount option
I sm_90 _Z7dynsmemPf overridden 256>24 maxrregcount option
I sm_90 _Z6callerPfi overridden 256>24 maxrregcount option
I sm_90 _Z7printeri overridden 256>24 maxrregcount option
I sm_90 - overridden 24>32 computed using thread count
I sm_90 - overridden 24>64 computed using thread count
I sm_90 _Z11local_arrayPfii overridden 256>24 maxrregcount option
W sm_90 _Z9recursivePi stack"#,
    ),
    (
        "made_multigencode.log",
        r#"
K sm_80 _Z10spill_smemPfPKf r32 b0 s10240 f200 c200 l- 372/376
K sm_80 _Z11spill_localPfPKf r32 b0 s0 f280 c280 l- 536/572
K sm_90 _Z10spill_smemPfPKf r32 b0 s9216 f216 c216 l- 404/408
K sm_90 _Z11spill_localPfPKf r32 b0 s0 f288 c288 l- 552/584
K sm_120 _Z10spill_smemPfPKf r72 b0 s0 f0 c- l- 0/0
K sm_120 _Z11spill_localPfPKf r72 b0 s0 f0 c- l- 0/0
W sm_120 _Z10spill_smemPfPKf minblocks
W sm_120 _Z11spill_localPfPKf minblocks"#,
    ),
    (
        "made_nospill.sm_90.log",
        r#"
K sm_90 _Z7k_byrefPfi r12 b0 s0 f16 c16 l- 0/0
D sm_90 _Z5byrefPfi r- b- s- f0 c- l- 0/0 after 0
K sm_90 _Z5k_lutPfi r24 b0 s0 f64 c64 l- 0/0
K sm_90 _Z8k_printfi r24 b0 s0 f8 c8 l- 0/0
K sm_90 _Z5k_cosPd r28 b0 s0 f40 c40 l- 0/0
D sm_90 __internal_trig_reduction_slowpathd r- b- s- f0 c- l- 0/0 after 4
K sm_90 _Z6k_sinfPf r21 b0 s0 f0 c- l- 0/0"#,
    ),
    (
        "made_ptxas11.8_suite.sm_80.log",
        r#"
K sm_80 _ZN40_GLOBAL__N__5d825b9c_8_suite_cu_813960bc4anonEPf r8 b- s0 f0 c- l- 0/0
K sm_80 _Z9recursivePi r24 b- s0 f0 c- l- 0/0
D sm_80 _Z3fibi r- b- s- f24 c- l- 20/20 after 1
K sm_80 _Z7dynsmemPf r10 b- s0 f0 c- l- 0/0
K sm_80 _Z12barriers_dynPfi r10 b- s256 f0 c- l- 0/0
K sm_80 _Z9barriers8Pf r14 b- s256 f0 c- l- 0/0
K sm_80 _Z6callerPfi r27 b- s0 f32 c- l- 0/0
D sm_80 _Z6calleefi r- b- s- f0 c- l- 0/0 after 6
K sm_80 _Z7printeri r24 b- s0 f8 c- l- 0/0
K sm_80 _Z7spillerPfPKf r32 b- s0 f280 c- l- 536/572
K sm_80 _Z7boundedPfPKf r12 b- s1024 f0 c- l- 0/0
K sm_80 _Z11local_arrayPfii r9 b- s0 f0 c- l- 0/0
W sm_80 _Z9recursivePi stack"#,
    ),
    (
        "made_ptxas12.9_suite.sm_90.log",
        r#"
K sm_90 _ZN40_GLOBAL__N__5d825b9c_8_suite_cu_813960bc4anonEPf r10 b0 s0 f0 c- l- 0/0
K sm_90 _Z9recursivePi r24 b0 s0 f0 c- l- 0/0
D sm_90 _Z3fibi r- b- s- f24 c- l- 20/20 after 1
K sm_90 _Z7dynsmemPf r10 b1 s0 f0 c- l- 0/0
K sm_90 _Z12barriers_dynPfi r10 b16 s256 f0 c- l- 0/0
K sm_90 _Z9barriers8Pf r14 b8 s256 f0 c- l- 0/0
K sm_90 _Z6callerPfi r27 b0 s0 f32 c32 l- 0/0
D sm_90 _Z6calleefi r- b- s- f0 c- l- 0/0 after 6
K sm_90 _Z7printeri r24 b0 s0 f8 c8 l- 0/0
K sm_90 _Z7spillerPfPKf r32 b0 s0 f288 c288 l- 552/584
K sm_90 _Z7boundedPfPKf r14 b1 s1024 f0 c- l- 0/0
K sm_90 _Z11local_arrayPfii r11 b0 s0 f0 c- l- 0/0"#,
    ),
    (
        "made_rdc.sm_90.log",
        r#"
D sm_90 _Z3extfi r- b- s- f0 c- l- 0/0 after -
K sm_90 _Z2rkPfi r24 b0 s0 f0 c- l- 0/0
E sm_90 _Z2rkPfi callee _Z3extfi needs 133 of 32"#,
    ),
    (
        "made_resource_usage.sm_90.log",
        r#"
K sm_90 _Z10spill_smemPfPKf r32 b0 s9216 f216 c216 l- 404/408
K sm_90 _Z11spill_localPfPKf r32 b0 s0 f288 c288 l- 552/584"#,
    ),
    (
        "made_smem80.sm_75.log",
        r#"
K sm_75 _Z6tile1kPf r39 b1 s1024 f0 c- l- 0/0
K sm_75 _Z6tile8kPf r39 b1 s8192 f0 c- l- 0/0"#,
    ),
    (
        "made_smem80.sm_80.log",
        r#"
K sm_80 _Z6tile1kPf r32 b1 s1024 f0 c- l- 0/0
K sm_80 _Z6tile8kPf r39 b1 s8192 f0 c- l- 0/0"#,
    ),
    (
        "made_smem80.sm_86.log",
        r#"
K sm_86 _Z6tile1kPf r39 b1 s1024 f0 c- l- 0/0
K sm_86 _Z6tile8kPf r39 b1 s8192 f0 c- l- 0/0"#,
    ),
    (
        "made_smem80.sm_87.log",
        r#"
K sm_87 _Z6tile1kPf r39 b1 s1024 f0 c- l- 0/0
K sm_87 _Z6tile8kPf r39 b1 s8192 f0 c- l- 0/0"#,
    ),
    (
        "made_smem80.sm_89.log",
        r#"
K sm_89 _Z6tile1kPf r39 b1 s1024 f0 c- l- 0/0
K sm_89 _Z6tile8kPf r39 b1 s8192 f0 c- l- 0/0"#,
    ),
    (
        "made_smem80.sm_90.log",
        r#"
K sm_90 _Z6tile1kPf r32 b1 s1024 f0 c- l- 0/0
K sm_90 _Z6tile8kPf r32 b1 s8192 f0 c- l- 0/0"#,
    ),
    (
        "made_smemspill.sm_90.log",
        r#"
K sm_90 _Z10spill_smemPfPKf r32 b0 s9216 f216 c216 l- 404/408
K sm_90 _Z11spill_localPfPKf r32 b0 s0 f288 c288 l- 552/584
W sm_90 _Z10spill_smemPfPKf other Local memory used for function '…', size of stack frame: 216 bytes
W sm_90 _Z10spill_smemPfPKf other Registers are spilled to local memory in function '…', 404 bytes spill stores, 408 bytes spill loads
W sm_90 _Z11spill_localPfPKf other Local memory used for function '…', size of stack frame: 288 bytes
W sm_90 _Z11spill_localPfPKf other Registers are spilled to local memory in function '…', 552 bytes spill stores, 584 bytes spill loads"#,
    ),
    (
        "made_smemspill8.sm_90.log",
        r#"
K sm_90 _Z17spill_shared_onlyPfPKf r64 b0 s5632 f0 c- l- 0/0"#,
    ),
    (
        "made_suite.sm_100.log",
        r#"
K sm_100 _ZN40_GLOBAL__N__5d825b9c_8_suite_cu_813960bc4anonEPf r10 b0 s0 f0 c- l- 0/0
K sm_100 _Z9recursivePi r30 b0 s0 f0 c- l- 0/0
D sm_100 _Z3fibi r- b- s- f56 c- l- 52/52 after 1
K sm_100 _Z7dynsmemPf r10 b1 s0 f0 c- l- 0/0
K sm_100 _Z12barriers_dynPfi r10 b16 s256 f0 c- l- 0/0
K sm_100 _Z9barriers8Pf r14 b8 s256 f0 c- l- 0/0
K sm_100 _Z6callerPfi r24 b0 s0 f32 c32 l- 0/0
D sm_100 _Z6calleefi r- b- s- f0 c- l- 0/0 after 6
K sm_100 _Z7printeri r24 b0 s0 f8 c8 l- 0/0
K sm_100 _Z7spillerPfPKf r32 b0 s0 f288 c288 l- 552/584
K sm_100 _Z7boundedPfPKf r14 b1 s1024 f0 c- l- 0/0
K sm_100 _Z11local_arrayPfii r11 b0 s0 f0 c- l- 0/0
W sm_100 _Z9recursivePi stack"#,
    ),
    (
        "made_suite.sm_120.log",
        r#"
K sm_120 _ZN40_GLOBAL__N__5d825b9c_8_suite_cu_813960bc4anonEPf r10 b0 s0 f0 c- l- 0/0
K sm_120 _Z9recursivePi r30 b0 s0 f0 c- l- 0/0
D sm_120 _Z3fibi r- b- s- f56 c- l- 52/52 after 1
K sm_120 _Z7dynsmemPf r10 b1 s0 f0 c- l- 0/0
K sm_120 _Z12barriers_dynPfi r10 b16 s256 f0 c- l- 0/0
K sm_120 _Z9barriers8Pf r14 b8 s256 f0 c- l- 0/0
K sm_120 _Z6callerPfi r26 b0 s0 f32 c32 l- 0/0
D sm_120 _Z6calleefi r- b- s- f0 c- l- 0/0 after 6
K sm_120 _Z7printeri r24 b0 s0 f8 c8 l- 0/0
K sm_120 _Z7spillerPfPKf r72 b0 s0 f0 c- l- 0/0
K sm_120 _Z7boundedPfPKf r14 b1 s1024 f0 c- l- 0/0
K sm_120 _Z11local_arrayPfii r8 b0 s0 f0 c- l- 0/0
W sm_120 _Z7spillerPfPKf minblocks
W sm_120 _Z9recursivePi stack"#,
    ),
    (
        "made_suite.sm_80.log",
        r#"
K sm_80 _ZN40_GLOBAL__N__5d825b9c_8_suite_cu_813960bc4anonEPf r8 b0 s0 f0 c- l- 0/0
K sm_80 _Z9recursivePi r24 b0 s0 f0 c- l- 0/0
D sm_80 _Z3fibi r- b- s- f24 c- l- 20/20 after 1
K sm_80 _Z7dynsmemPf r10 b1 s0 f0 c- l- 0/0
K sm_80 _Z12barriers_dynPfi r10 b16 s256 f0 c- l- 0/0
K sm_80 _Z9barriers8Pf r14 b8 s256 f0 c- l- 0/0
K sm_80 _Z6callerPfi r27 b0 s0 f32 c32 l- 0/0
D sm_80 _Z6calleefi r- b- s- f0 c- l- 0/0 after 6
K sm_80 _Z7printeri r24 b0 s0 f8 c8 l- 0/0
K sm_80 _Z7spillerPfPKf r32 b0 s0 f280 c280 l- 536/572
K sm_80 _Z7boundedPfPKf r12 b1 s1024 f0 c- l- 0/0
K sm_80 _Z11local_arrayPfii r9 b0 s0 f0 c- l- 0/0
W sm_80 _Z9recursivePi stack"#,
    ),
    (
        "made_suite.sm_90.log",
        r#"
K sm_90 _ZN40_GLOBAL__N__5d825b9c_8_suite_cu_813960bc4anonEPf r10 b0 s0 f0 c- l- 0/0
K sm_90 _Z9recursivePi r24 b0 s0 f0 c- l- 0/0
D sm_90 _Z3fibi r- b- s- f24 c- l- 20/20 after 1
K sm_90 _Z7dynsmemPf r10 b1 s0 f0 c- l- 0/0
K sm_90 _Z12barriers_dynPfi r10 b16 s256 f0 c- l- 0/0
K sm_90 _Z9barriers8Pf r14 b8 s256 f0 c- l- 0/0
K sm_90 _Z6callerPfi r27 b0 s0 f32 c32 l- 0/0
D sm_90 _Z6calleefi r- b- s- f0 c- l- 0/0 after 6
K sm_90 _Z7printeri r24 b0 s0 f8 c8 l- 0/0
K sm_90 _Z7spillerPfPKf r32 b0 s0 f288 c288 l- 552/584
K sm_90 _Z7boundedPfPKf r14 b1 s1024 f0 c- l- 0/0
K sm_90 _Z11local_arrayPfii r11 b0 s0 f0 c- l- 0/0
W sm_90 _Z9recursivePi stack"#,
    ),
    (
        "made_wgmma_setmaxnreg.sm_90a.log",
        r#"
K sm_90a _Z8smn_callPfi r240 b0 s0 f0 c- l- 0/0
D sm_90a _Z3devPf r- b- s- f0 c- l- 0/0 after 0
K sm_90a _Z6smn_okPfi r240 b0 s0 f0 c- l- 0/0
K sm_90a _Z3smnPfi r10 b0 s0 f0 c- l- 0/0
K sm_90a _Z2wgPfmmi r34 b0 s0 f0 c- l- 0/0
I sm_90a - setmaxnreg 7508
I sm_90a _Z2wgPfmmi advisory 7517@90
I sm_90a _Z2wgPfmmi advisory 7517@96
I sm_90a _Z2wgPfmmi advisory 7517@102
I sm_90a _Z2wgPfmmi advisory 7517@108
I sm_90a _Z2wgPfmmi advisory 7517@126
I sm_90a _Z2wgPfmmi advisory 7511@105"#,
    ),
    (
        "profile_demo.sm_90.log",
        r#"
K sm_90 _ZN39_GLOBAL__N__f1496162_7_demo_cu_714b28326hiddenEPfi r10 b0 s0 f0 c- l- 0/0
K sm_90 _Z5quietPfi r8 b0 s0 f0 c- l- 0/0
K sm_90 _Z4tileIfEvPT_PKS0_i r40 b1 s0 f0 c- l- 0/0
K sm_90 _Z5roomyPfPKfi r128 b0 s0 f0 c- l- 0/0
K sm_90 _Z12forced_spillPfPKfi r64 b0 s0 f424 c424 l- 980/1124
K sm_90 _Z13dynamic_indexPfPKfPKii r37 b0 s0 f0 c- l- 0/0
K sm_90 _Z4axpyPfPKffi r10 b0 s0 f0 c- l- 0/0"#,
    ),
];
