namespace FastCgi.SampleTests.Wave;

public sealed class WaveServerChoiceTests
{
    [Fact]
    public async Task An_unknown_server_is_refused_by_a_message_that_names_those_there_are()
    {
        await using var sample = SampleProcess.Launch("Wave", "--server", "iis");

        Assert.Equal(1, await sample.EndAsync());
        Assert.Contains("There is no server 'iis': --server is fastcgi or kestrel.", sample.Log.Lines);
    }
}
