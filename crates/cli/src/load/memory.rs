//! Whether a tree fits into the memory that is free.

use anyhow::bail;
use bytesize::ByteSize;
use hitscan::{BuildOptions, BuildQuality};
use sysinfo::{MemoryRefreshKind, RefreshKind, System};

/// The size of a build in bytes, below which free memory is not asked for.
const SMALL: u64 = 256 << 20;

/// Refuses a build that would make the machine swap.
///
/// # Errors
/// A build that takes more memory than is free.
pub(crate) fn check_build(n_triangles: usize, options: &BuildOptions) -> anyhow::Result<()> {
    if options.peak_bytes(n_triangles) > SMALL
        && let Some(free) = free()
    {
        check_against(n_triangles, options, free)?;
    }
    Ok(())
}

fn check_against(n_triangles: usize, options: &BuildOptions, free: u64) -> anyhow::Result<()> {
    let needed = options.peak_bytes(n_triangles);
    if needed <= free {
        return Ok(());
    }
    let fast = BuildOptions { quality: BuildQuality::Fast, ..*options }.peak_bytes(n_triangles);
    let advice = if fast < needed {
        format!("free some memory, or pass --quality fast, which takes {}", ByteSize(fast))
    } else {
        "free some memory, or take a part of the mesh".to_owned()
    };
    bail!(
        "memory: the build of a tree of {n_triangles} triangles takes up to {}, and {} are free; {advice}",
        ByteSize(needed),
        ByteSize(free)
    )
}

/// The memory that this process may still take, by the system and its control group. `None` if the system does
/// not say.
fn free() -> Option<u64> {
    let only_memory = RefreshKind::nothing().with_memory(MemoryRefreshKind::nothing().with_ram());
    let system = System::new_with_specifics(only_memory);
    let of_group = system.cgroup_limits().map_or(u64::MAX, |limits| limits.free_memory);
    let free = system.available_memory().min(of_group);
    (system.total_memory() > 0).then_some(free)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GB: u64 = 1 << 30;

    #[test]
    fn a_build_that_does_not_fit_names_the_sizes_and_the_way_out() {
        let balanced = BuildOptions::default();
        let error = check_against(100_000_000, &balanced, 4 * GB).expect_err("it takes 10 GiB");
        assert_eq!(
            error.to_string(),
            "memory: the build of a tree of 100000000 triangles takes up to 10.2 GiB, and 4.0 GiB are \
             free; free some memory, or pass --quality fast, which takes 8.8 GiB"
        );
        let fast = BuildOptions { quality: BuildQuality::Fast, ..balanced };
        let error = check_against(100_000_000, &fast, 4 * GB).expect_err("it takes 9 GiB");
        assert!(error.to_string().ends_with("or take a part of the mesh"), "{error}");
        assert!(check_against(100_000_000, &balanced, 11 * GB).is_ok());
    }

    #[test]
    fn this_machine_has_room_for_a_small_tree() {
        assert!(check_build(1000, &BuildOptions::default()).is_ok());
        assert!(free().is_none_or(|free| free > 1 << 20));
        assert!(check_build(usize::MAX / 1000, &BuildOptions::default()).is_err());
    }
}
