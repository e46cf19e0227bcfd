namespace FastCgi.PeerTests;

/// <summary>php-cgi, which serves one connection at a time.</summary>
public sealed class PhpCgiPeerTests(PhpCgiPeerTests.Peer application) : PeerTest<PhpCgiPeerTests.Peer>(application)
{
    protected override bool IsDuplex => false;

    protected override bool HasStandardError => true;

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public Task Every_request_on_kept_connections_has_its_answer(bool canRepeat) => PostManyAsync("/echo", canRepeat);

    public sealed class Peer : PeerApplication
    {
        /// <summary>A kept connection keeps its only process.</summary>
        public override void Configure(FastCgiHandlerOptions options)
        {
            options.DocumentRoot = Sources("php");
            options.MaxConnections = 1;
        }

        /// <summary>By itself it ends behind 500 requests, and nobody starts it again.</summary>
        private protected override Task<(string Program, string[] Arguments)> PrepareAsync() =>
            Task.FromResult<(string, string[])>(
                (InstalledProgram.Find("env"),
                ["PHP_FCGI_MAX_REQUESTS=0", InstalledProgram.Find("php-cgi"), "-b", SocketPath]));
    }
}
