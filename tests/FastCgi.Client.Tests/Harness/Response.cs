namespace FastCgi.Client.Tests.Harness;

/// <summary>What an application answers, in records, and how a request ends without an answer.</summary>
internal static class Response
{
    private const int EndRequestType = 3;
    private const int StdoutType = 6;
    private const int StderrType = 7;

    /// <summary>Stdout, its end, and END_REQUEST.</summary>
    public static RecordBuilder Of(string response, int id = 1) =>
        new RecordBuilder().Stdout(response, id).Record(StdoutType, id, []).End(id);

    public static RecordBuilder Stdout(this RecordBuilder records, string content, int id = 1) =>
        records.Stream(StdoutType, id, Encoding.Latin1.GetBytes(content));

    public static RecordBuilder Stderr(this RecordBuilder records, string content, int id = 1) =>
        records.Stream(StderrType, id, Encoding.Latin1.GetBytes(content));

    /// <summary>The failure of a request, which is of this kind.</summary>
    public static async Task<FastCgiException> FailsAsync(this Task<HttpResponseMessage> sending, FastCgiError error)
    {
        var exception = await Assert.ThrowsAsync<FastCgiException>(() => sending.Within("an error"));
        Assert.Equal(error, exception.Error);
        return exception;
    }

    /// <summary>END_REQUEST with a protocol status.</summary>
    public static RecordBuilder End(this RecordBuilder records, int id = 1, int status = 0) =>
        records.Record(EndRequestType, id, [0, 0, 0, 0, (byte)status, 0, 0, 0]);
}
