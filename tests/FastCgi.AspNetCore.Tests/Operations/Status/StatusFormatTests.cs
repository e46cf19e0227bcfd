using System.Text.Json;
using System.Xml.Linq;
using FastCgi.AspNetCore.Operations.Status;

namespace FastCgi.AspNetCore.Tests.Operations.Status;

public class StatusFormatTests
{
    private static readonly DateTimeOffset s_started = new(2026, 11, 22, 13, 37, 59, TimeSpan.Zero);

    private static readonly StatusSnapshot s_status = new(
        "shop", "dynamic", s_started.AddSeconds(90.5), s_started, TimeSpan.FromSeconds(90.5))
    {
        Accepted = 12,
        Queue = new ListenQueueFigures(1, 2, 512),
        Idle = 3,
        Active = 1,
        MostActive = 4,
        LimitReached = 5,
        Slow = 6,
        Requests =
        [
            new RequestSnapshot("Running", TimeSpan.FromSeconds(1.25), 7)
            {
                Method = "GET",
                Target = "/a?b=\"<c>&",
                ContentLength = 8,
                User = "ann",
                Script = "/srv/x",
            },
            new RequestSnapshot("Reading headers", TimeSpan.Zero, 1),
        ],
    };

    [Fact]
    public void Text_is_PHP_FPMs_line_by_line() => Assert.Equal(
        """
        pool:                 shop
        process manager:      dynamic
        start time:           22/Nov/2026:13:37:59 +0000
        start since:          90
        accepted conn:        12
        listen queue:         1
        max listen queue:     2
        listen queue len:     512
        idle processes:       3
        active processes:     1
        total processes:      4
        max active processes: 4
        max children reached: 5
        slow requests:        6

        """,
        StatusPage.AsText(s_status with { Requests = null }));

    [Fact]
    public void Full_text_has_a_block_for_each_request() => Assert.Contains(
        $"""

        ************************
        pid:                  {Environment.ProcessId}
        state:                Running
        start time:           22/Nov/2026:13:39:28 +0000
        start since:          1
        requests:             7
        request duration:     1250000
        request method:       GET
        request URI:          /a?b="<c>&
        content length:       8
        user:                 ann
        script:               /srv/x
        last request cpu:     0.00
        last request memory:  0

        ************************
        """,
        StatusPage.AsText(s_status),
        StringComparison.Ordinal);

    [Fact]
    public void Json_has_numbers_and_texts_as_PHP_FPM_has_them()
    {
        using var json = JsonDocument.Parse(StatusPage.AsJson(s_status));

        Assert.Equal(1795354679, json.RootElement.GetProperty("start time").GetInt64());
        Assert.Equal(512, json.RootElement.GetProperty("listen queue len").GetInt32());
        var request = json.RootElement.GetProperty("processes")[0];
        Assert.Equal("/a?b=\"<c>&", request.GetProperty("request uri").GetString());
        Assert.Equal("0.00", request.GetProperty("last request cpu").GetRawText());
        Assert.Equal("-", json.RootElement.GetProperty("processes")[1].GetProperty("request method").GetString());
    }

    [Fact]
    public void Xml_is_well_formed_with_anything_in_a_request_and_html_escapes_what_clients_send()
    {
        var xml = XDocument.Parse(StatusPage.AsXml(s_status));
        Assert.Equal("90", xml.Root!.Element("start-since")!.Value);
        Assert.Equal("/a?b=\"<c>&", xml.Root.Element("processes")!.Elements().First().Element("request-uri")!.Value);
        var html = StatusPage.AsHtml(s_status);
        Assert.Contains("<td>/a?b=&quot;&lt;c&gt;&amp;</td>", html, StringComparison.Ordinal);
        Assert.Contains("<tr><th>accepted conn</th><td>12</td></tr>", html, StringComparison.Ordinal);
    }

    [Fact]
    public void A_queue_that_is_unknown_is_null_a_dash_or_left_out()
    {
        var status = s_status with { Queue = null, Requests = null };

        Assert.Contains("listen queue:         -\n", StatusPage.AsText(status), StringComparison.Ordinal);
        Assert.Contains("\"listen queue\":null", StatusPage.AsJson(status), StringComparison.Ordinal);
        Assert.Contains("<listen-queue>-</listen-queue>", StatusPage.AsXml(status), StringComparison.Ordinal);
        Assert.DoesNotContain("listen_queue", StatusPage.AsMetrics(status), StringComparison.Ordinal);
    }

    [Fact]
    public void Metrics_end_as_OpenMetrics_wants_it()
    {
        var metrics = StatusPage.AsMetrics(s_status);

        Assert.Contains("# TYPE phpfpm_listen_queue gauge\nphpfpm_listen_queue 1\n", metrics, StringComparison.Ordinal);
        Assert.EndsWith("phpfpm_slow_requests 6\n# EOF\n", metrics, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("", "text/plain")]
    [InlineData("?", "text/plain")]
    [InlineData("?JSON", "text/plain")]
    [InlineData("?xjson", "text/plain")]
    [InlineData("?json", "application/json")]
    [InlineData("?full&json=1", "application/json")]
    [InlineData("?json&xml", "text/xml")]
    [InlineData("?xml&html", "text/html")]
    [InlineData("?&&openmetrics", "application/openmetrics-text")]
    public void The_query_chooses_the_format(string query, string contentType)
    {
        var answer = new StatusPage(Take).Answer(query);

        Assert.StartsWith(contentType, answer.ContentType, StringComparison.Ordinal);
        Assert.Contains($"Content-Length: {answer.Body.Length}\r\n\r\n", answer.Head, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("status")]
    [InlineData("/status?json")]
    [InlineData("/a%20b")]
    [InlineData("/a\n")]
    public void A_path_that_no_request_can_have_is_refused(string path) =>
        Assert.StartsWith(
            $"'{path}' is not a path",
            Assert.Throws<ArgumentException>(() => new FastCgiStatusOptions { Path = path }).Message,
            StringComparison.Ordinal);

    private static StatusSnapshot Take(bool isFull) => isFull ? s_status : s_status with { Requests = null };
}
