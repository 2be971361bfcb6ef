//! Tests of the help and of parsing.

use super::*;

/// Calls `check` for a command and all its subcommands, with the words that call each.
fn visit(command: &clap::Command, words: &str, check: &mut impl FnMut(&clap::Command, &str)) {
    check(command, words);
    for subcommand in command.get_subcommands() {
        visit(subcommand, &format!("{words} {}", subcommand.get_name()), check);
    }
}

/// The words of an example, without shell redirections.
fn words_of(example: &str) -> Vec<String> {
    let before_shell = example.split(['<', '>']).next().unwrap_or_default();
    let (mut words, mut word, mut quoted) = (Vec::new(), String::new(), false);
    for character in before_shell.chars().chain([' ']) {
        match character {
            '"' => quoted = !quoted,
            ' ' if !quoted => {
                words.extend(Some(std::mem::take(&mut word)).filter(|word| !word.is_empty()));
            }
            _ => word.push(character),
        }
    }
    words
}

#[test]
fn every_command_has_an_example_in_its_help_and_each_example_can_be_parsed() {
    let mut examples = 0;
    visit(&command_line(), "panji", &mut |command, words| {
        let after = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        let lines: Vec<&str> = after.lines().filter(|line| line.starts_with("  panji")).collect();
        assert!(!lines.is_empty(), "'{words}' has no example");
        for line in lines {
            // In the top-level help, a description follows the example.
            let line = line.trim_start().split("   ").next().unwrap_or_default();
            assert!(line.starts_with(words), "{line:?} in the help of '{words}'");
            let parsed = command_line().try_get_matches_from(words_of(line));
            assert!(parsed.is_ok(), "{line}: {:?}", parsed.err().map(|error| error.to_string()));
            examples += 1;
        }
    });
    assert!(examples > 30, "{examples} examples");
}

#[test]
fn help_lists_own_options_then_common_ones_and_serving_options_only_for_serving() {
    let mut command = command_line();
    command.build();
    visit(&command, "panji", &mut |command, words| {
        let help = command.clone().render_help().to_string();
        let serves = ["panji", "panji serve", "panji doctor"].contains(&words);
        assert_eq!(help.contains("--metrics-listen"), serves, "{words}: {help}");
        let first = words.split(' ').nth(1).unwrap_or_default();
        let has_settings =
            !["check", "completions", "generate", "openapi", "sources"].contains(&first);
        assert_eq!(help.contains("--data-dir"), has_settings, "{words}: {help}");
        if let Some(common) = help.find("Common options:") {
            assert!(help.find("--help").is_some_and(|own| own < common), "{words}: {help}");
            assert!(help.find("--config").is_some_and(|at| at > common), "{words}: {help}");
        }
    });
}

#[test]
fn settings_are_accepted_before_and_after_every_command() {
    for line in [
        "panji --listen 127.0.0.1:1 --data-dir here account list",
        "panji account list --listen 127.0.0.1:1 --data-dir here",
        "panji account --data-dir here list --listen 127.0.0.1:1",
        "panji check 99000101 --data-dir here --listen 127.0.0.1:1",
    ] {
        let parsed = parse(line.split(' ').map(OsString::from));
        let flags = parsed.map(|line| line.settings.named()).expect(line);
        assert!(flags.contains(&("data_dir".to_owned(), "here".to_owned())), "{line}: {flags:?}");
        assert!(flags.contains(&("listen".to_owned(), "127.0.0.1:1".to_owned())), "{line}");
    }
}
