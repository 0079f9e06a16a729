//! The report in words.

use crate::load_text;

const TRIANGLE: &str = "v 2 1 0\nv 4 1 0\nv 2 3 0\nf 1 2 3\n";

#[test]
fn a_warning_has_the_line_of_its_first_occurrence() {
    let loaded = load_text(&format!("{TRIANGLE}l 1 2\np 1\np 2\nf 1 1 2\n"));
    assert_eq!(
        loaded.report.to_string(),
        "1 line element left out (line 5)\n\
         2 point elements left out (the first on line 6)\n\
         1 triangle of zero area\n"
    );
}

#[test]
fn libraries_and_materials_are_named_up_to_four() {
    let told = |libraries: &[&str]| {
        let statements: String = libraries.iter().map(|name| format!("mtllib {name}\n")).collect();
        load_text(&format!("usemtl x\n{statements}{TRIANGLE}")).report.to_string()
    };
    let of_libraries = |names: &[&str]| -> String {
        let problem = "not read, the text comes without a folder";
        let told: Vec<_> = names.iter().map(|name| format!("\"{name}\" {problem}")).collect();
        told.join(", ")
    };
    let material = "1 material in no library (line 1): \"x\"\n";
    let names = ["a", "b", "c", "d", "e"];
    for (n, more) in [(2, ""), (4, ""), (5, ", …")] {
        let expected = format!(
            "{material}{n} material libraries not fully read (the first on line 2): {}{more}\n",
            of_libraries(&names[..n.min(4)])
        );
        assert_eq!(told(&names[..n]), expected);
    }
}
