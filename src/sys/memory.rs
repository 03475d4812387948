//! How much memory is free.

use std::path::Path;

use crate::sys::files;

/// Bytes that processes could still take without others losing theirs: what the system says, and what is left of the limit of this
/// process's control group where that is less. `None` where neither is known.
pub fn available() -> Option<u64> {
    let system = files::read_text(Path::new("/proc/meminfo")).ok().and_then(|text| of_system(&text));
    [system, of_group(Path::new("/sys/fs/cgroup"))].into_iter().flatten().min()
}

/// `MemAvailable` of `/proc/meminfo`.
fn of_system(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// What is left of a container's limit, files that the system only remembers not counted. Both versions of control groups are
/// understood.
fn of_group(folder: &Path) -> Option<u64> {
    let number = |name: &str| files::read_text(&folder.join(name)).ok()?.trim().parse::<u64>().ok();
    let (limit, used, details) = match number("memory.max") {
        Some(limit) => (limit, number("memory.current")?, "memory.stat"),
        None => {
            let used = number("memory/memory.usage_in_bytes")?;
            (number("memory/memory.limit_in_bytes")?, used, "memory/memory.stat")
        }
    };
    let details = files::read_text(&folder.join(details)).unwrap_or_default();
    let field = |name: &str| details.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok());
    let remembered: u64 = field("total_inactive_file ").or_else(|| field("inactive_file ")).unwrap_or(0);
    Some(limit.saturating_sub(used.saturating_sub(remembered)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_system_says_what_is_available() {
        let text = "MemTotal:       24000000 kB\nMemFree:  5 kB\nMemAvailable:   1234 kB\n";
        assert_eq!(of_system(text), Some(1234 * 1024));
        assert_eq!(of_system("MemTotal: 1 kB\n"), None);
    }

    #[test]
    fn a_container_has_what_is_left_of_its_limit() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        assert_eq!(of_group(folder.path()), None);
        write("memory/memory.limit_in_bytes", "900\n");
        write("memory/memory.usage_in_bytes", "500\n");
        write("memory/memory.stat", "cache 1\ninactive_file 7\ntotal_inactive_file 100\n");
        assert_eq!(of_group(folder.path()), Some(500));
        write("memory.current", "800\n");
        write("memory.stat", "inactive_file 50\n");
        write("memory.max", "max\n");
        assert_eq!(of_group(folder.path()), Some(500), "no limit of the second version");
        write("memory.max", "1000\n");
        assert_eq!(of_group(folder.path()), Some(250));
    }
}
