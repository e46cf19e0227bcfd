using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Nodes;
using Spectre.Console;

namespace FastCgi.Tool.Output;

/// <summary>
/// Where a command writes: results to the standard output, all else to the standard error. Colours and progress appear
/// on a terminal only, and not if NO_COLOR is set.
/// </summary>
internal sealed class ToolTerminal
{
    /// <summary>Wide enough that no line is broken where a program reads it.</summary>
    private const int UnlimitedWidth = 4096;

    private static readonly JsonSerializerOptions s_indented = new()
    {
        WriteIndented = true,
        Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping,
    };

    /// <param name="output">The standard output as text.</param>
    /// <param name="error">The standard error.</param>
    /// <param name="outputBytes">The standard output as bytes, for bodies.</param>
    /// <param name="input">The standard input.</param>
    public ToolTerminal(TextWriter output, TextWriter error, Stream outputBytes, Stream input)
    {
        Output = output;
        Error = error;
        OutputBytes = outputBytes;
        Input = input;
        Console = Open(output);
        ErrorConsole = Open(error);
    }

    public TextWriter Output { get; }

    public TextWriter Error { get; }

    public Stream OutputBytes { get; }

    public Stream Input { get; }

    /// <summary>The standard output with tables and colours.</summary>
    public IAnsiConsole Console { get; }

    /// <summary>The standard error with progress and colours.</summary>
    public IAnsiConsole ErrorConsole { get; }

    /// <summary>A person watches the standard error.</summary>
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
