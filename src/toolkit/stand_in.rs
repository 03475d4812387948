//! Stand-ins for compilers and installers: shell scripts, for tests.

use std::path::Path;

use crate::sys::process::{self, Call, Cancel};

/// Writes a script that may be run. A child writes it: were it open for writing in this process while another test
/// starts a child, running it could fail with "text file busy".
pub(super) fn script(path: &Path, body: &str) {
    let folder = path.parent().unwrap();
    std::fs::create_dir_all(folder).unwrap();
    let write = "printf '#!/bin/sh\n%s\n' \"$1\" > \"$2\" && chmod 755 \"$2\"";
    let call = Call::new("/bin/sh").args(["-c", write, "sh", body]).arg(path);
    let keep = tempfile::tempdir().unwrap();
    assert!(process::run(&call, keep.path(), &Cancel::new()).unwrap().status.success());
}
