namespace FastCgi.AspNetCore.Tests.Files;

public class FileResponseTests
{
    private const int Length = 1000;

    [Theory]
    [InlineData("GET", null)]
    [InlineData("get", null)]
    [InlineData("HEAD", null)]
    [InlineData("POST", "neither GET nor HEAD")]
    [InlineData("PUT", "neither GET nor HEAD")]
    public void The_method_is_GET_or_HEAD(string method, string? obstacle) =>
        AssertObstacle(obstacle, Judge(method: method));

    [Theory]
    [InlineData(200, null)]
    [InlineData(201, "neither 200 nor 206")]
    [InlineData(404, "neither 200 nor 206")]
    public void The_status_is_200_for_the_whole_file(int status, string? obstacle) =>
        AssertObstacle(obstacle, Judge(status: status));

    [Theory]
    [InlineData(1, Length - 1)]
    [InlineData(0, Length - 1)]
    [InlineData(0, 0)]
    public void A_part_without_a_206_is_sent_as_always(long offset, long count) =>
        AssertObstacle("a part of the file", Judge(offset: offset, count: count));

    [Theory]
    [InlineData("If-Match", "\"1\"", "If-Match")]
    [InlineData("If-Unmodified-Since", "Sat, 01 Jan 2022 00:00:00 GMT", "If-Match or If-Unmodified-Since")]
    [InlineData("If-None-Match", "\"1\"", null)]
    [InlineData("If-Modified-Since", "Sat, 01 Jan 2022 00:00:00 GMT", null)]
    [InlineData("If-Range", "\"1\"", null)]
    [InlineData("Range", "bytes=0-5,7-9", null)]
    public void Conditions_that_only_the_application_can_judge_are_an_obstacle(
        string name, string value, string? obstacle) => AssertObstacle(obstacle, Judge(request: (name, value)));

    [Theory]
    [InlineData("Content-Encoding", "br", "Content-Encoding")]
    [InlineData("X-Accel-Redirect", "/mine", "by itself")]
    [InlineData("X-Sendfile", "/mine", "by itself")]
    [InlineData("Content-Range", "bytes 0-9/10", "a part of the file")]
    [InlineData("Content-Length", "999", "Content-Length")]
    [InlineData("Content-Length", "1000", null)]
    [InlineData("Content-Disposition", "attachment", null)]
    [InlineData("Content-Type", "text/plain", null)]
    [InlineData("Content-Type", "", "no Content-Type")]
    [InlineData("Content-Type", null, "no Content-Type")]
    public void Headers_that_the_web_server_would_make_wrong_are_an_obstacle(
        string name, string? value, string? obstacle) =>
        AssertObstacle(obstacle, Judge(response: (name, value)));

    [Fact]
    public void An_empty_file_is_sent_as_always() =>
        AssertObstacle("the file is empty", Judge(count: 0, fileLength: 0));

    [Theory]
    [InlineData("bytes=0-0", 0, 1)]
    [InlineData("bytes=10-19", 10, 10)]
    [InlineData("bytes=990-", 990, 10)]
    [InlineData("bytes=990-5000", 990, 10)]
    [InlineData("bytes=-10", 990, 10)]
    [InlineData("bytes=-5000", 0, 1000)]
    public void A_206_with_the_range_that_was_asked_for_is_left_to_the_web_server(string range, long offset, long count)
    {
        Assert.Null(JudgeRange(range, offset, count, $"bytes {offset}-{offset + count - 1}/{Length}"));
        Assert.NotNull(JudgeRange(range, offset, count, $"bytes {offset}-{offset + count - 1}/{Length + 1}"));
        Assert.NotNull(JudgeRange(range, offset, count, null));
        Assert.NotNull(JudgeRange(range, offset, count, $"bytes {offset}-{offset + count - 1}/{Length}", "HEAD"));
    }

    public static TheoryData<string?> OtherRanges =>
    [
        (string?)null, "", "bytes=10-18", "bytes=11-19", "bytes=-10", "bytes=10-19,30-39", "lines=10-19", "BYTES=10-19",
        "bytes=", "bytes=x", "bytes=99999999999999999999-",
    ];

    [Theory, MemberData(nameof(OtherRanges))]
    public void A_206_with_another_part_is_sent_as_always(string? range) =>
        Assert.NotNull(JudgeRange(range, 10, 10, $"bytes 10-19/{Length}"));

    [Fact]
    public void Headers_that_nginx_drops_are_named()
    {
        var headers = new HeaderDictionary
        {
            ["Content-Type"] = "a/b", ["set-cookie"] = "a=1", ["X-Accel-Limit-Rate"] = "1", ["Vary"] = "Cookie",
            ["Content-Language"] = "de", ["ETag"] = "\"1\"",
        };
        Assert.Equal(["Content-Language", "Vary"], Create("GET", 200, [], headers, 0, Length, Length).LostByNginx(new HashSet<string>()).Order());
    }

    private static void AssertObstacle(string? expected, string? found) => Assert.True(
        expected is null ? found is null : found?.Contains(expected, StringComparison.Ordinal) == true, found);

    private static string? JudgeRange(string? range, long offset, long count, string? contentRange, string method = "GET") =>
        Judge(method, 206, ("Range", range), ("Content-Range", contentRange), offset, count);

    private static string? Judge(
        string method = "GET",
        int status = 200,
        (string Name, string? Value) request = default,
        (string Name, string? Value) response = default,
        long offset = 0,
        long count = Length,
        long fileLength = Length) =>
        Create(method, status, With(request), WithType(response), offset, count, fileLength).Obstacle();

    private static FileResponse Create(
        string method, int status, HeaderDictionary request, HeaderDictionary response, long offset, long count, long length) =>
        new()
        {
            Method = method,
            RequestHeaders = request,
            StatusCode = status,
            Headers = response,
            Offset = offset,
            Count = count,
            FileLength = length,
        };

    private static HeaderDictionary With((string Name, string? Value) header) =>
        header.Value is null ? [] : new HeaderDictionary { [header.Name] = header.Value };

    private static HeaderDictionary WithType((string Name, string? Value) header)
    {
        var headers = With(header);
        if (header.Name != "Content-Type")
        {
            headers["Content-Type"] = "text/plain";
        }

        return headers;
    }
}
