namespace FastCgi.SampleTests.Counter;

public sealed class CounterOnTestServerTests(CounterOnTestServer site)
    : CounterTests(site), IClassFixture<CounterOnTestServer>;

public sealed class CounterOnFastCgiTests(CounterOnFastCgi site)
    : CounterTests(site), IClassFixture<CounterOnFastCgi>;

public sealed class CounterBehindNginxTests(CounterBehindNginx site)
    : CounterTests(site), IClassFixture<CounterBehindNginx>;
