using FastCgi.PeerTests.Harness;

namespace FastCgi.PeerTests;

/// <summary>Go's net/http/fcgi.</summary>
public sealed class GoPeerTests(GoPeerTests.Peer application) : PeerTest<GoPeerTests.Peer>(application)
{
    public sealed class Peer : PeerApplication
    {
        private protected override async Task<(string Program, string[] Arguments)> PrepareAsync()
        {
            string program = Path.Combine(Directory, "peer");
            await BuildAsync(InstalledProgram.Find("go"), ["build", "-o", program, "."], Sources("go"));
            return (program, [SocketPath]);
        }
    }
}
