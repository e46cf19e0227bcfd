namespace FastCgi.FunctionalTests.Diagnostics;

/// <summary>nginx' <c>try_files … /index.php</c> makes every page a 404; the log says why, once.</summary>
public sealed class PhpLeftoversTests : FunctionalTest
{
    [Theory]
    [InlineData("/orders?page=2", "/index.php", 1)]
    [InlineData("/index.php?page=2", "/index.php", 0)]
    [InlineData("/index.php/orders", "/index.php", 0)]
    [InlineData("/orders", "/errors/404", 0)]
    public async Task A_page_that_arrives_as_index_php_is_warned_of_once(string target, string document, int warnings)
    {
        var peer = await StartAndConnectAsync(static _ => Task.CompletedTask);
        var request = Get(target) with
        {
            ExtraParams = [("DOCUMENT_URI", document), ("SERVER_SOFTWARE", "nginx/1.22.1")],
        };

        await peer.RoundTripAsync(request);
        await peer.RoundTripAsync(request);

        Assert.Equal(warnings, Logs.Entries.Count(static entry => entry.EventId.Id == PhpLeftovers));
    }

    [Fact]
    [HardInput("P10")]
    public async Task The_warning_has_no_query_and_the_path_harmless_and_cut()
    {
        var target = $"/\u001B[2J'{new string('a', 5000)}?token=secret";

        await RespondAsync(
            static _ => Task.CompletedTask, Get(target) with { ExtraParams = [("DOCUMENT_URI", "/index.php")] });

        var message = Assert.Single(Logs.Entries, static entry => entry.EventId.Id == PhpLeftovers).Message;
        Assert.Contains(@"GET /\x1B[2J\x27aaa", message, StringComparison.Ordinal);
        Assert.DoesNotContain("secret", message, StringComparison.Ordinal);
        Assert.InRange(message.Length, 0, 500);
    }
}
