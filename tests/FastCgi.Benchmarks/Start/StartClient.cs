using FastCgi.Benchmarks.Curves;

namespace FastCgi.Benchmarks.Start;

/// <summary>The program in <c>Client/start.c</c>, which starts a server and asks until it answers.</summary>
internal sealed class StartClient
{
    private const string Body = "Hello, World!";

    private static readonly string s_directory = Path.Combine(AppContext.BaseDirectory, "Start", "Client");

    private readonly string _program = Path.Combine(s_directory, "start");
    private readonly string _workDirectory;

    private StartClient(string workDirectory) => _workDirectory = workDirectory;

    /// <exception cref="InvalidOperationException">There is no C compiler, or it does not compile.</exception>
    public static async Task<StartClient> BuildAsync(string workDirectory)
    {
        string compiler = InstalledProgram.Require("gcc", "gcc");
        var client = new StartClient(workDirectory);
        var (exitCode, output) = await InstalledProgram.RunAsync(
            new ProcessCommand(compiler, "-O2", "-Wall", "-o", client._program, "start.c"), s_directory);
        if (exitCode != 0)
        {
            throw new InvalidOperationException($"What starts the servers was not built: {output}");
        }

        await File.WriteAllBytesAsync(client.RequestFile(ServerKind.FastCgi), CurveRequest.Get("/"));
        await File.WriteAllTextAsync(
            client.RequestFile(ServerKind.Kestrel), "GET / HTTP/1.1\r\nHost: example.test\r\n\r\n");
        return client;
    }

    /// <exception cref="InvalidOperationException">It did not start, or answered wrongly.</exception>
    public async Task<StartSample> RunAsync(StartBuild build, ServerKind server)
    {
        string socket = Path.Combine(_workDirectory, "socket");
        string status = server == ServerKind.FastCgi ? "Status: 200" : "HTTP/1.1 200";
        string mode = build.Inherits ? "inherit" : "bind";
        var command = build.Command(server, socket);
        var (exitCode, output) = await InstalledProgram.RunInSessionAsync(new ProcessCommand(
            _program, [mode, socket, RequestFile(server), status, Body, command.Program, .. command.Arguments]));
        if (exitCode != 0)
        {
            throw new InvalidOperationException($"{build.Name} on {server}: {output}");
        }

        double[] numbers =
            [.. output.Split(' ').Select(static text => double.Parse(text, CultureInfo.InvariantCulture))];
        return new StartSample(numbers[0] / 1000, numbers[1] / 1000, numbers[2] / 1024, numbers[3] / 1024);
    }

    private string RequestFile(ServerKind server) => Path.Combine(_workDirectory, $"{server}.request");
}
