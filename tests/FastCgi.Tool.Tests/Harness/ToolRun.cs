using System.Globalization;
using System.Text;
using System.Text.Json.Nodes;

namespace FastCgi.Tool.Tests.Harness;

/// <summary>A run of the tool in this process, with what it printed.</summary>
internal sealed class ToolRun
{
    /// <summary>Long enough for the start of an application on a loaded machine.</summary>
    private static readonly TimeSpan s_deadline = TimeSpan.FromSeconds(60);

    /// <summary>A --timeout for a command of which some requests time out, and the others may not.</summary>
    public static string AmpleTimeout { get; } =
        Deadline.Of(TimeSpan.FromSeconds(5)).TotalSeconds.ToString(CultureInfo.InvariantCulture);

    private readonly LineWriter _error = new();
    private readonly LineWriter _output = new();
    private readonly MemoryStream _bytes = new();

    public int ExitCode { get; private set; }

    public string Output => _output.ToString() + Encoding.UTF8.GetString(_bytes.ToArray());

    public string Error => _error.ToString();

    public JsonNode Json => JsonNode.Parse(Output)!;

    /// <summary>The rules of the findings of <c>doctor --json</c>.</summary>
    public IEnumerable<string> Rules =>
        Json["findings"]!.AsArray().Select(static finding => (string)finding!["rule"]!);

    public static Task<ToolRun> OfAsync(params string[] arguments) => OfAsync("", arguments);

    public static async Task<ToolRun> OfAsync(string input, string[] arguments)
    {
        var run = new ToolRun();
        await run.RunAsync(input, arguments, CancellationToken.None)
            .Within($"fcgi {string.Join(' ', arguments)}", () => run.Error, s_deadline);
        return run;
    }

    /// <summary>A run beside an application that echoes, whose endpoint takes the place of "APP".</summary>
    public static async Task<ToolRun> OnEchoAsync(params string[] arguments)
    {
        await using var server = await EchoApplication.StartAsync();
        return await OfAsync([.. arguments.Select(argument => argument == "APP" ? server.Address : argument)]);
    }

    /// <summary>A run on a file with this content, whose path takes the place of "FILE".</summary>
    public static async Task<ToolRun> OnFileAsync(string content, params string[] arguments)
    {
        using var directory = new WorkDirectory();
        await File.WriteAllTextAsync(directory.File("file"), content);
        return await OfAsync(
            [.. arguments.Select(argument => argument == "FILE" ? directory.File("file") : argument)]);
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

    public void Succeeds(params string[] printed)
    {
        Assert.True(ExitCode == 0, Error);
        Prints(printed);
    }

    public void Fails(int exitCode, params string[] said)
    {
        Assert.Equal(exitCode, ExitCode);
        Assert.All(said, text => Assert.Contains(text, Error, StringComparison.Ordinal));
    }

    public void Prints(params string[] printed) =>
        Assert.All(printed, text => Assert.Contains(text, Output, StringComparison.Ordinal));

    private async Task RunAsync(string input, string[] arguments, CancellationToken cancellationToken)
    {
        var terminal = new ToolTerminal(_output, _error, _bytes, new MemoryStream(Encoding.UTF8.GetBytes(input)));
        ExitCode = await FcgiProgram.RunAsync(arguments, terminal, cancellationToken);
    }
}
