namespace FastCgi.SampleTests.Wave;

public sealed class WaveOnTestServerTests(WaveOnTestServer site) : WaveTests(site), IClassFixture<WaveOnTestServer>;

public sealed class WaveOnFastCgiTests(WaveOnFastCgi site) : WaveTests(site), IClassFixture<WaveOnFastCgi>;

public sealed class WaveBehindNginxTests(WaveBehindNginx site) : WaveTests(site), IClassFixture<WaveBehindNginx>;

public sealed class WaveOnKestrelTests(WaveOnKestrel site) : WaveTests(site), IClassFixture<WaveOnKestrel>;

public sealed class WaveOnKestrelBehindNginxTests(WaveOnKestrelBehindNginx site)
    : WaveTests(site), IClassFixture<WaveOnKestrelBehindNginx>;
