using System.CommandLine.Completions;
using System.CommandLine.Help;
using System.CommandLine.Parsing;

namespace FastCgi.Tool.CommandLine;

/// <summary>Explains why a command line is invalid, and suggests the intended one.</summary>
internal static class UsageErrors
{
    /// <summary>True if an option that does not exist was taken for an argument.</summary>
    public static bool HasUnknownOption(ParseResult parsed, IReadOnlyList<string> arguments) =>
        parsed.Action is not HelpAction and not ExampleHelpAction
        && UnknownOptions(parsed, arguments).Any();

    public static IEnumerable<string> Of(ParseResult parsed, IReadOnlyList<string> arguments)
    {
        Command command = parsed.CommandResult.Command;
        string[] options = [.. UnknownOptions(parsed, arguments)];
        foreach (string option in options)
        {
            IEnumerable<string> known = command.Options.Concat(parsed.RootCommandResult.Command.Options)
                .SelectMany(static option => option.Aliases.Prepend(option.Name));
            string name = command is RootCommand ? "fcgi" : command.Name;
            yield return $"{name} has no option {option}.{DidYouMean(option, known)}";
        }

        if (options.Length > 0)
        {
            yield break;
        }

        foreach (string word in parsed.UnmatchedTokens)
        {
            yield return command is RootCommand
                ? $"there is no command '{word}'.{DidYouMean(word, command.Subcommands.Select(static sub => sub.Name))}"
                : $"'{word}' is one argument too many for {command.Name}.";
        }

        if (parsed.UnmatchedTokens.Count > 0)
        {
            yield break;
        }

        foreach (string message in parsed.Errors.Select(error => Plain(error, command)).Distinct())
        {
            yield return message;
        }
    }

    private static IEnumerable<string> UnknownOptions(ParseResult parsed, IReadOnlyList<string> arguments)
    {
        // The words after the two dashes are for another program.
        HashSet<string> own = [.. arguments.TakeWhile(static argument => argument != "--")];
        return parsed.CommandResult.Children.OfType<ArgumentResult>()
            .SelectMany(static result => result.Tokens.Select(static token => token.Value))
            .Concat(parsed.UnmatchedTokens)
            .Where(word => word.Length > 1 && word[0] == '-' && own.Contains(word))
            .Select(static word => word.Split('=')[0])
            .Distinct();
    }

    private static string Plain(ParseError error, Command command)
    {
        switch (error.SymbolResult)
        {
            case OptionResult { Option: var option, Tokens: [var token, ..] } when IsNumber(option.ValueType):
                return $"{option.Name} '{token.Value}' is no number. Write it like {option.Name} 5.";
            case OptionResult { Option: var option, Tokens: [] }:
                return $"{option.Name} needs a value.";
            case OptionResult { Option: var option, Tokens: [var token, ..] }
                when Choices(option.GetCompletions) is [_, ..] choices:
                return $"{option.Name} '{token.Value}' is none of {string.Join(", ", choices)}." +
                    DidYouMean(token.Value, choices);
            case ArgumentResult { Argument: var argument, Tokens: [var token, ..] }
                when Choices(argument.GetCompletions) is [_, ..] choices:
                return $"'{token.Value}' is none of {string.Join(", ", choices)}.{DidYouMean(token.Value, choices)}";
            case ArgumentResult { Argument: var argument }:
                return $"{command.Name} needs {Article(argument.Name)} {argument.Name}.{ExampleOf(command)}";
            case CommandResult when command.Arguments.FirstOrDefault(static argument =>
                argument.Arity.MinimumNumberOfValues > 0) is { } missing:
                return $"{command.Name} needs {Article(missing.Name)} {missing.Name}.{ExampleOf(command)}";
            default:
                return error.Message.ReplaceLineEndings(" ");
        }
    }

    private static string[] Choices(Func<CompletionContext, IEnumerable<CompletionItem>> complete) =>
        [.. complete(CompletionContext.Empty).Select(static item => item.Label)];

    private static bool IsNumber(Type type) =>
        (Nullable.GetUnderlyingType(type) ?? type) is var plain && (plain == typeof(int) || plain == typeof(double));

    private static string ExampleOf(Command command) =>
        command is ExampleCommand { Examples: [var example, ..] } ? $" For example: {example}" : "";

    private static string Article(string name) => name[0] is 'a' or 'e' or 'i' or 'o' or 'u' ? "an" : "a";

    private static string DidYouMean(string word, IEnumerable<string> known) =>
        Spelling.Nearest(word, known) is { } near ? $" Did you mean {near}?" : "";
}
