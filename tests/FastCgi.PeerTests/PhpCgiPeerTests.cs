using FastCgi.Client;
using FastCgi.PeerTests.Harness;

namespace FastCgi.PeerTests;

/// <summary>php-cgi, which serves one connection at a time.</summary>
public sealed class PhpCgiPeerTests(PhpCgiPeerTests.Peer application) : PeerTest<PhpCgiPeerTests.Peer>(application)
{
    protected override bool IsDuplex => false;

    protected override bool HasStandardError => true;

    public sealed class Peer : PeerApplication
    {
        public override void Configure(FastCgiHandlerOptions options) => options.DocumentRoot = Sources("php");

        private protected override Task<(string Program, string[] Arguments)> PrepareAsync() =>
            Task.FromResult<(string, string[])>((InstalledProgram.Find("php-cgi"), ["-b", SocketPath]));
    }
}
