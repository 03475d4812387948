//! `docs/schema`: real reports and baselines are of the shape that the schemas say, and nothing else is.

use std::collections::BTreeSet;

use jsonschema::Validator;
use serde_json::{Value, json};

use crate::project::{Project, root, run_in, toolkit};
use crate::shell::document;

fn schema(name: &str) -> Value {
    serde_json::from_str(&document(&format!("docs/schema/{name}"))).unwrap()
}

fn validator(schema: &Value) -> Validator {
    assert!(jsonschema::draft202012::meta::is_valid(schema));
    jsonschema::draft202012::new(schema).unwrap()
}

/// The schema where no object has a field that it does not name, so that a new field cannot be forgotten.
fn strict(mut schema: Value) -> Value {
    fn close(value: &mut Value) {
        match value {
            Value::Object(object) => {
                if object.contains_key("properties") {
                    object.entry("additionalProperties").or_insert(json!(false));
                }
                object.values_mut().for_each(close);
            }
            Value::Array(values) => values.iter_mut().for_each(close),
            _ => {}
        }
    }
    close(&mut schema);
    schema
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn mistakes(validator: &Validator, value: &Value) -> String {
    let all: Vec<String> = validator.iter_errors(value).map(|error| error.to_string()).collect();
    format!("{} in {value}", all.join("; "))
}

/// Lines of every `reason`, from the example crate, parts, logs and a comparison; and a baseline.
fn real() -> (Vec<Value>, Value) {
    toolkit();
    let target = tempfile::tempdir().unwrap();
    let manifest = root().join("examples/gallery/Cargo.toml");
    let base =
        ["--manifest-path", manifest.to_str().unwrap(), "--target-dir", target.path().to_str().unwrap()];
    let args = [&base[..], &["--message-format", "json"]].concat();
    let mut all = lines(&run_in(&root(), &args, &[], "").exits(100).stdout);

    let project =
        Project::new("archs = [\"sm_90\"]\n[[package.metadata.occlint.kernel]]\nname = \"none\"\nblock = 32");
    let kernel =
        |bounds: &str| format!("__global__ void __launch_bounds__({bounds}) k(int* a) {{ *a = 1; }}\n");
    project.write("kernels/k.cu", &kernel("128"));
    project.write("kernels/gone.cu", "__global__ void gone(int* a) { *a = 1; }\n");
    project.occlint(&["--bless", "--output", "json=before.json"]).exits(0);
    project.write("kernels/k.cu", &kernel("128, 64"));
    std::fs::remove_file(project.path().join("kernels/gone.cu")).unwrap();
    let run =
        project.occlint(&["--partition", "1/1", "--message-format", "json", "--output", "json=after.json"]);
    all.extend(lines(&run.exits(100).stdout));
    project.occlint(&["--message-format", "json", "--output", "json=after.json"]).exits(100);
    let diff = project.run(&["diff", "before.json", "after.json", "--format", "json"], &[]);
    all.extend(lines(&diff.stdout));
    let baseline = std::fs::read_to_string(project.path().join("occlint.baseline.json")).unwrap();

    let log = "ptxas info    : Compiling entry function '_Z1kPf' for 'sm_90'\n\
               ptxas info    : Function properties for _Z1kPf\n    8 bytes stack frame, 8 bytes spill stores, 8 bytes spill loads\n\
               ptxas info    : Used 32 registers\n";
    project.write("a.log", log);
    all.extend(lines(
        &project.run(&["--from-log", "a.log", "--message-format", "json"], &[]).exits(0).stdout,
    ));
    (all, serde_json::from_str(&baseline).unwrap())
}

/// A value of another type than any that a field has beside null.
fn other_type(value: &Value) -> Value {
    if value.is_object() { json!(7) } else { json!({"x": 1}) }
}

#[test]
fn real_lines_are_valid_and_broken_ones_are_not() {
    let schema_of_lines = schema("occlint-report-1.json");
    let (open, closed) = (validator(&schema_of_lines), validator(&strict(schema_of_lines)));
    let (all, baseline) = real();
    let mut reasons = BTreeSet::new();
    for line in &all {
        assert!(closed.is_valid(line), "{}", mistakes(&closed, line));
        let mut grown = line.clone();
        grown["new_field"] = json!(1);
        assert!(open.is_valid(&grown) && !closed.is_valid(&grown));
        // Each field, once a reason: taken away, and of another type.
        if !reasons.insert(line["reason"].as_str().unwrap().to_owned()) {
            continue;
        }
        for (field, value) in line.as_object().unwrap() {
            let mut without = line.clone();
            without.as_object_mut().unwrap().remove(field);
            assert!(!open.is_valid(&without), "`{field}` is missing, and nobody minds");
            let mut wrong = line.clone();
            wrong[field] = other_type(value);
            assert!(!open.is_valid(&wrong), "`{field}` is {}, and nobody minds", wrong[field]);
        }
    }
    let wanted = ["change", "changes", "finding", "kernel", "part", "summary"];
    assert_eq!(reasons.iter().map(String::as_str).collect::<Vec<_>>(), wanted);
    // What is within: a figure that is negative, a word that is none, a field of a field that is missing.
    let kernel = all.iter().find(|line| line["bounds"].is_object() && line["steps"].is_object()).unwrap();
    for (path, value) in [
        ("/registers", json!(-1)),
        ("/occupancy", json!(1.5)),
        ("/bounds/min_blocks", json!("2")),
        ("/steps", json!({})),
        ("/limiters", json!(["luck"])),
        ("/arch", json!("sm90")),
        ("/format_version", json!(2)),
        ("/reason", json!("kernels")),
    ] {
        let mut wrong = kernel.clone();
        *wrong.pointer_mut(path).unwrap() = value;
        assert!(!open.is_valid(&wrong), "{path}");
    }
    a_baseline_is_valid_and_a_broken_one_is_not(&baseline);
}

fn a_baseline_is_valid_and_a_broken_one_is_not(baseline: &Value) {
    let schema = schema("occlint-baseline-2.json");
    let (open, closed) = (validator(&schema), validator(&strict(schema)));
    assert!(closed.is_valid(baseline), "{}", mistakes(&closed, baseline));
    assert_eq!(baseline["kernels"].as_array().unwrap().len(), 2);
    for field in baseline.as_object().unwrap().keys() {
        let mut wrong = baseline.clone();
        wrong[field] = json!("x");
        assert_eq!(open.is_valid(&wrong), field == "occlint", "{field}");
        wrong.as_object_mut().unwrap().remove(field);
        assert!(!open.is_valid(&wrong), "{field}");
    }
    for (field, value) in baseline["kernels"][0].as_object().unwrap() {
        let mut wrong = baseline.clone();
        wrong["kernels"][0][field] = other_type(value);
        assert!(!open.is_valid(&wrong), "{field}");
    }
}

/// The names of all fields of a schema.
fn fields(schema: &Value, into: &mut BTreeSet<String>) {
    match schema {
        Value::Object(object) => {
            if let Some(Value::Object(properties)) = object.get("properties") {
                into.extend(properties.keys().cloned());
            }
            object.values().for_each(|value| fields(value, into));
        }
        Value::Array(values) => values.iter().for_each(|value| fields(value, into)),
        _ => {}
    }
}

#[test]
fn the_guide_names_every_field_of_the_schema() {
    let (guide, mut all) = (document("docs/json.md"), BTreeSet::new());
    fields(&schema("occlint-report-1.json"), &mut all);
    assert!(all.len() > 100, "{all:?}");
    all.retain(|field| !guide.contains(&format!("`{field}`")));
    assert_eq!(all, BTreeSet::new(), "docs/json.md does not name these");
    for name in ["occlint-report-1.json", "occlint-baseline-2.json"] {
        assert!(guide.contains(&format!("(schema/{name})")), "{name}");
    }
}
