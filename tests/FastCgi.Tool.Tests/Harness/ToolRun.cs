using System.Text;
using System.Text.Json.Nodes;
using FastCgi.Tool.Output;

namespace FastCgi.Tool.Tests.Harness;

/// <summary>A run of the tool in this process, with what it printed.</summary>
internal sealed class ToolRun
{
    /// <summary>Long enough for the start of an application on a loaded machine.</summary>
    private static readonly TimeSpan s_deadline = TimeSpan.FromSeconds(60);

    private readonly LineWriter _error = new();
    private readonly LineWriter _output = new();
    private readonly MemoryStream _bytes = new();

    public int ExitCode { get; private set; }

    public string Output => _output.ToString() + Encoding.UTF8.GetString(_bytes.ToArray());

    public byte[] OutputBytes => _bytes.ToArray();

    public string Error => _error.ToString();

    public JsonNode Json => JsonNode.Parse(Output)!;

    public static Task<ToolRun> OfAsync(params string[] arguments) => OfAsync("", arguments);

    public static async Task<ToolRun> OfAsync(string input, string[] arguments)
    {
        var run = new ToolRun();
        await run.RunAsync(input, arguments, CancellationToken.None)
            .Within($"fcgi {string.Join(' ', arguments)}", () => run.Error, s_deadline);
        return run;
    }

    /// <summary>Starts a command that runs until it is ended.</summary>
    public static (ToolRun Run, Task Ended, CancellationTokenSource Stop) Start(params string[] arguments)
    {
        var run = new ToolRun();
        var stop = new CancellationTokenSource();
        return (run, run.RunAsync("", arguments, stop.Token), stop);
    }

    /// <summary>The first line with this text on either output.</summary>
    public async Task<string> WaitForAsync(string text)
    {
        Task<string> output = _output.Lines.FirstAsync(line => line.Contains(text, StringComparison.Ordinal));
        Task<string> error = _error.Lines.FirstAsync(line => line.Contains(text, StringComparison.Ordinal));
        return await (await Task.WhenAny(output, error).Within($"'{text}'", () => Output + Error));
    }

    private async Task RunAsync(string input, string[] arguments, CancellationToken cancellationToken)
    {
        var terminal = new ToolTerminal(_output, _error, _bytes, new MemoryStream(Encoding.UTF8.GetBytes(input)));
        ExitCode = await FcgiProgram.RunAsync(arguments, terminal, cancellationToken);
    }
}
