namespace FastCgi.Benchmarks.Hop;

/// <summary><c>forward</c>: the hop under test, as <c>hop</c> starts it.</summary>
internal static class ForwardCommand
{
    public static Command Create()
    {
        var protocol = new Argument<TargetProtocol>("protocol") { Description = "FastCgi, Scgi or Http" };
        var socket = new Argument<string>("socket") { Description = "the path of the unix socket to forward to" };
        var address = new Argument<string>("address") { Description = "the IP address and port to listen on" };
        var keep = new Option<bool>("--keep-conn")
        {
            Description = "keeps connections",
            DefaultValueFactory = static _ => true,
        };
        var command = new Command("forward", "Forwards all requests.") { protocol, socket, address, keep };
        command.SetAction((parsed, _) => HopApplication.RunAsync(
            parsed.GetRequiredValue(protocol),
            parsed.GetRequiredValue(socket),
            parsed.GetRequiredValue(address),
            parsed.GetValue(keep)));
        return command;
    }
}
