namespace FastCgi.Client.Tests.Responses;

/// <summary>Each wrong answer has an exception that says what is wrong and what to do.</summary>
public sealed class WrongResponseTests
{
    public static TheoryData<byte[], FastCgiError, string> Answers => new()
    {
        { new RecordBuilder().End(status: 2).ToArray(), FastCgiError.Overloaded, "MaxConnections" },
        { new RecordBuilder().End(status: 3).ToArray(), FastCgiError.UnknownRole, "Role" },
        { new RecordBuilder().End(status: 1).ToArray(), FastCgiError.CannotMultiplex, "MultiplexRequests" },
        { new RecordBuilder().End(status: 9).ToArray(), FastCgiError.ProtocolViolation, "9" },
        { "HTTP/1.1 400 Bad Request\r\n\r\n"u8.ToArray(), FastCgiError.PeerSpeaksHttp, "HTTP" },
        { "Status: 200\r\n\r\n"u8.ToArray(), FastCgiError.ProtocolViolation, "scgi://" },
        { new RecordBuilder().End().ToArray(), FastCgiError.ResponseEnded, "StandardError" },
        { Response.Of("no head").ToArray(), FastCgiError.ResponseEnded, "head" },
        { Response.Of("no field\r\n\r\n").ToArray(), FastCgiError.InvalidHead, "no field" },
        { Response.Of("\r\n").ToArray(), FastCgiError.InvalidHead, "no field" },
        { Response.Of("Status: 20\r\n\r\n").ToArray(), FastCgiError.InvalidHead, "'20'" },
        { Response.Of("Status: 2000\r\n\r\n").ToArray(), FastCgiError.InvalidHead, "'2000'" },
        { Response.Of("A: b\0c\r\n\r\n").ToArray(), FastCgiError.InvalidHead, "control character" },
        { Response.Of("A: b\rc\r\n\r\n").ToArray(), FastCgiError.InvalidHead, "control character" },
        { Response.Of("HTTP/1.1 200 O\rK\r\nA: b\r\n\r\n").ToArray(), FastCgiError.InvalidHead, "control character" },
        { Response.Of("HTTP/1.1 200 O\0K\r\nA: b\r\n\r\n").ToArray(), FastCgiError.InvalidHead, "control character" },
        { Response.Of("Status: 200 O\rK\r\n\r\n").ToArray(), FastCgiError.InvalidHead, "control character" },
        { Response.Of("Content-Length: -1\r\n\r\n").ToArray(), FastCgiError.InvalidHead, "-1" },
        { Response.Of("Content-Length: 1\nContent-Length: 2\n\n").ToArray(), FastCgiError.InvalidHead, "'2'" },
        { Response.Of("A: " + new string('x', 70_000)).ToArray(), FastCgiError.HeadTooLong, "MaxResponseHeadersLength" },
        { new RecordBuilder().Record(3, 1, [0]).ToArray(), FastCgiError.ProtocolViolation, "END_REQUEST" },
        { Response.Of("A: b\n\n", id: 2).ToArray(), FastCgiError.ProtocolViolation, "request 2" },
        { new RecordBuilder().EndParams().ToArray(), FastCgiError.ProtocolViolation, "Params" },
        { Response.Of("A: b\n\n", id: 0).ToArray(), FastCgiError.ProtocolViolation, "Stdout for no request" },
        { new RecordBuilder().Stderr("x", id: 0).ToArray(), FastCgiError.ProtocolViolation, "Stderr for no request" },
        { new RecordBuilder().End(id: 0).ToArray(), FastCgiError.ProtocolViolation, "EndRequest for no request" },
        { Response.Of("Status: 100\n\n").ToArray(), FastCgiError.ResponseEnded, "head" },
        { Response.Of("Status: 103\nLink: </a>\n\n<html>\n\n").ToArray(), FastCgiError.InvalidHead, "<html>" },
        { Interim(2000), FastCgiError.HeadTooLong, "MaxResponseHeadersLength" },
    };

    /// <summary>Interim heads without an end.</summary>
    private static byte[] Interim(int count) =>
        new RecordBuilder().Stdout(string.Concat(Enumerable.Repeat("Status: 102\nX: 12345678901234567890\n\n", count))).ToArray();

    [Theory]
    [MemberData(nameof(Answers))]
    public async Task A_wrong_answer_is_named(byte[] answer, FastCgiError error, string part)
    {
        using var application = new ScriptedApplication();
        var (connection, sending) = await application.BeginAsync();
        await connection.SendAsync(answer);
        var exception = await sending.FailsAsync(error);
        Assert.Contains(part, exception.Message, StringComparison.Ordinal);
        Assert.Contains("app", exception.Message, StringComparison.Ordinal);
        await connection.ExpectClosedAsync();
    }

    [Theory]
    [InlineData("HTTP/1.1 400 Bad Request\r\nServer: nginx\r\n\r\n", FastCgiError.PeerSpeaksHttp)]
    [InlineData("Status: 200 OK\r\n", FastCgiError.ResponseEnded)]
    [InlineData("", FastCgiError.ResponseEnded)]
    public async Task A_wrong_answer_over_SCGI_is_named(string answer, FastCgiError error)
    {
        using var application = new ScriptedApplication(static options => options.Protocol = FastCgiEndpointProtocol.Scgi);
        var (connection, sending) = await application.OpenAsync();
        await connection.SendAsync(Encoding.ASCII.GetBytes(answer));
        connection.Stream.EndSending();
        await sending.FailsAsync(error);
    }
}
