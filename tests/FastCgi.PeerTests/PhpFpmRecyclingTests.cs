namespace FastCgi.PeerTests;

/// <summary>PHP-FPM whose children end after each request (pm.max_requests), and their connections with them.</summary>
public sealed class PhpFpmRecyclingTests(PhpFpmRecyclingTests.Peer application)
    : PeerTest<PhpFpmRecyclingTests.Peer>(application)
{
    protected override bool IsDuplex => false;

    protected override bool HasStandardError => true;

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public Task Every_request_on_connections_that_should_be_kept_has_its_answer(bool canRepeat) =>
        PostManyAsync("/echo", canRepeat);

    public sealed class Peer : PhpFpmApplication
    {
        public override void Configure(FastCgiHandlerOptions options)
        {
            base.Configure(options);
            options.MaxConnections = 2;
        }

        protected override string Settings => "pm.max_requests = 1";
    }
}
