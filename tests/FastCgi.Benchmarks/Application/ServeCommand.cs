namespace FastCgi.Benchmarks.Application;

/// <summary><c>serve</c>: the application under test, as the comparisons start it.</summary>
internal static class ServeCommand
{
    public static Command Create()
    {
        var server = new Argument<ServerKind>("server") { Description = "FastCgi, Scgi or Kestrel" };
        var address = new Argument<string>("address")
        {
            Description = "where to listen: the path of a unix socket, or an IP address with its port",
        };
        var command = new Command("serve", "Serves the workloads.") { server, address };
        command.SetAction((parsed, _) =>
            BenchmarkApplication.RunAsync(parsed.GetRequiredValue(server), parsed.GetRequiredValue(address)));
        return command;
    }
}
