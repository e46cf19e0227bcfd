using System.Text.Encodings.Web;
using System.Text.Json;
using Spectre.Console;

namespace FastCgi.Tool.Output;

/// <summary>
/// The output of a command: results go to the standard output, all else to the standard error. Colours and progress
/// appear only on a terminal, and not if NO_COLOR is set.
/// </summary>
internal sealed class ToolTerminal
{
    /// <summary>So wide that no line is broken for a program that reads it.</summary>
    private const int UnlimitedWidth = 4096;

    /// <summary>The minimum width of a column of words.</summary>
    private const int WordsWidth = 36;

    private static readonly JsonSerializerOptions s_indented = new()
    {
        WriteIndented = true,
        Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
    };

    private readonly Lazy<IAnsiConsole> _console;
    private readonly Lazy<IAnsiConsole> _errorConsole;

    /// <param name="output">The standard output as text.</param>
    /// <param name="error">The standard error.</param>
    /// <param name="outputBytes">The standard output as bytes, for bodies.</param>
    /// <param name="input">The standard input.</param>
    public ToolTerminal(TextWriter output, TextWriter error, Stream outputBytes, Stream input)
    {
        Output = new PrintableWriter(output);
        Error = new PrintableWriter(error);
        OutputBytes = outputBytes;
        Input = input;
        _console = new(() => Open(output));
        _errorConsole = new(() => Open(error));
    }

    /// <summary>The standard output, with control characters escaped.</summary>
    public TextWriter Output { get; }

    /// <summary>The standard error, with control characters escaped.</summary>
    public TextWriter Error { get; }

    public Stream OutputBytes { get; }

    public Stream Input { get; }

    /// <summary>The standard output with tables and colours.</summary>
    public IAnsiConsole Console => _console.Value;

    /// <summary>The standard error with progress and colours.</summary>
    public IAnsiConsole ErrorConsole => _errorConsole.Value;

    /// <summary>True if a person watches the standard error.</summary>
    public bool IsWatched => ErrorConsole.Profile.Out.IsTerminal;

    public static ToolTerminal OfProcess() => new(
        System.Console.Out,
        System.Console.Error,
        System.Console.OpenStandardOutput(),
        System.Console.OpenStandardInput());

    public void WriteJson(JsonNode node)
    {
        Output.WriteLine(node.ToJsonString(s_indented));
        Output.Flush();
    }

    /// <summary>
    /// Writes rows as a table, or one value below the other if the terminal is too narrow. Values are text, never
    /// markup.
    /// </summary>
    public void WriteTable(IReadOnlyList<string> columns, IReadOnlyList<IReadOnlyList<string>> rows)
    {
        string[][] shown = [.. rows.Select(static row => row.Select(PrintableWriter.Show).ToArray())];
        int[] widths = [.. columns.Select((name, i) => shown.Select(row => row[i].Length).Append(name.Length).Max())];
        // The last column may be broken at spaces.
        int least = widths[..^1].Sum() + Math.Min(widths[^1], WordsWidth) + (3 * widths.Length);
        if (least <= Console.Profile.Width)
        {
            Table table = new Table().Border(TableBorder.Simple);
            foreach (string name in columns)
            {
                table.AddColumn(new TableColumn(new Text(name)));
            }

            foreach (string[] row in shown)
            {
                table.AddRow(row.Select(static value => new Text(value)));
            }

            Console.Write(table);
            return;
        }

        foreach (string[] row in shown)
        {
            // Two or three columns are a name, its value and an explanation.
            bool isNamed = columns.Count <= 3;
            WriteWrapped(isNamed ? $"{row[0]}  {row[1]}".TrimEnd() : $"{columns[0]}: {row[0]}", hanging: "    ");
            foreach ((int i, string value) in row.Index().Skip(isNamed ? 2 : 1)
                .Where(static cell => cell.Item.Length > 0))
            {
                WriteWrapped(isNamed ? value : $"{columns[i]}: {value}", indent: "    ");
            }
        }
    }

    /// <summary>Writes a line, broken at spaces to the width of a terminal, but unbroken for a program.</summary>
    /// <param name="text">Without line ends.</param>
    /// <param name="indent">The text before each line.</param>
    /// <param name="hanging">Additional text before all lines except the first.</param>
    public void WriteWrapped(string text, string indent = "", string hanging = "")
    {
        int width = Math.Max(20, Console.Profile.Width - 1);
        string prefix = indent;
        string rest = text;
        while (prefix.Length + rest.Length > width)
        {
            int room = width - prefix.Length;
            int space = rest.LastIndexOf(' ', room);
            if (space <= 0)
            {
                // A word that is longer than a line stays unbroken, so that it can be copied.
                space = rest.IndexOf(' ', room);
            }

            if (space <= 0)
            {
                break;
            }

            Output.WriteLine(prefix + rest[..space]);
            rest = rest[(space + 1)..];
            prefix = indent + hanging;
        }

        Output.WriteLine(prefix + rest);
    }

    private static IAnsiConsole Open(TextWriter writer)
    {
        var target = new AnsiConsoleOutput(writer);
        bool hasColours = target.IsTerminal
            && string.IsNullOrEmpty(Environment.GetEnvironmentVariable("NO_COLOR"))
            && Environment.GetEnvironmentVariable("TERM") != "dumb";
        IAnsiConsole console = AnsiConsole.Create(new AnsiConsoleSettings
        {
            Out = target,
            Ansi = hasColours ? AnsiSupport.Detect : AnsiSupport.No,
            ColorSystem = hasColours ? ColorSystemSupport.Detect : ColorSystemSupport.NoColors,
            Interactive = hasColours ? InteractionSupport.Detect : InteractionSupport.No,
        });
        if (!target.IsTerminal)
        {
            console.Profile.Width = UnlimitedWidth;
        }

        return console;
    }
}
