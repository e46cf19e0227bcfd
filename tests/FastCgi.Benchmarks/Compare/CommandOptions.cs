using System.CommandLine.Parsing;

namespace FastCgi.Benchmarks.Compare;

/// <summary>The kinds of options that several commands have.</summary>
internal static class CommandOptions
{
    /// <summary>
    /// Names with commas between them, as the values write themselves; all that there are unless given. The values keep
    /// their own order.
    /// </summary>
    public static Option<T[]> Choice<T>(string name, IReadOnlyList<T> all) => new(name)
    {
        Description = "names with commas between them",
        DefaultValueFactory = _ => [.. all],
        CustomParser = result =>
        {
            string[] wanted = SplitByCommas(result);
            foreach (string text in wanted.Except(all.Select(static one => $"{one}")))
            {
                result.AddError($"{name}: '{text}' is none of them.");
            }

            return [.. all.Where(one => wanted.Contains($"{one}"))];
        },
    };

    /// <summary>Targets that the user names, each by an option of its own.</summary>
    public static Option<CommandTarget[]> Peers(string name, string description, TargetProtocol protocol) => new(name)
    {
        Description = description,
        DefaultValueFactory = static _ => [],
        CustomParser = result =>
        {
            var peers = result.Tokens.Select(token => CommandTarget.TryParse(token.Value, protocol)).ToArray();
            if (peers.Contains(null))
            {
                result.AddError($"{name}: write name=command, with {{socket}} in the command.");
            }

            return [.. peers.OfType<CommandTarget>()];
        },
    };

    public static string[] SplitByCommas(ArgumentResult result) =>
        [.. result.Tokens.SelectMany(static token => token.Value.Split(','))];

    public static Option<int> Number(string name, string description, int value, int least)
    {
        var option = new Option<int>(name) { Description = description, DefaultValueFactory = _ => value };
        option.Validators.Add(result =>
        {
            if (result.Tokens is [var token] && (!int.TryParse(token.Value, out int number) || number < least))
            {
                result.AddError($"{name} needs a number from {least} on.");
            }
        });
        return option;
    }

    /// <summary>The command line, for the head of a report.</summary>
    public static string Text(this ParseResult parsed) =>
        $"run {string.Join(' ', parsed.Tokens.Select(static token => token.Value))}";
}
