namespace FastCgi.Client.Tests.Responses;

/// <summary>Heads of 1xx come before the response; HttpClient never sees one.</summary>
public sealed class InterimHeadTests
{
    [Theory]
    [InlineData("Status: 100\n\n")]
    [InlineData("Status: 102 Processing\r\nA: b\r\n\r\n")]
    [InlineData("Status: 103\nLink: </style.css>; rel=preload\n\nStatus: 199\n\n")]
    [InlineData("HTTP/1.1 100 Continue\r\n\r\n")]
    public async Task An_interim_head_is_skipped_however_it_is_cut(string interim)
    {
        byte[] Records(int id) => new RecordBuilder()
            .Stdout($"{interim}Status: 201\nX-Own: c\nContent-Length: 4\n\nbody", id).End(id).ToArray();
        using var application = new ScriptedApplication();
        await application.AnswerAtEverySplitAsync(Records, static async response =>
        {
            Assert.Equal(HttpStatusCode.Created, response.StatusCode);
            Assert.Equal(["X-Own"], response.Headers.Select(static header => header.Key));
            Assert.Equal("body", await response.Content.ReadAsStringAsync().Within("the body"));
        });
    }

    [Fact]
    public async Task Over_SCGI_too()
    {
        using var application = new ScriptedApplication(static options => options.Protocol = FastCgiEndpointProtocol.Scgi);
        var (connection, sending) = await application.OpenAsync();
        await connection.SendAsync(Encoding.ASCII.GetBytes("Status: 103\n\nStatus: 200\n\nbody"));
        connection.Stream.EndSending();
        using var response = await sending.Within("a response");
        Assert.Equal("body", await response.Content.ReadAsStringAsync().Within("the body"));
    }

    /// <summary>An application may answer FCGI_GET_VALUES late, or say that it does not know a type.</summary>
    [Fact]
    public async Task Management_records_are_no_part_of_a_response()
    {
        using var application = new ScriptedApplication();
        var (connection, sending) = await application.BeginAsync();
        await connection.SendAsync(new RecordBuilder()
            .Record(10, 0, RecordBuilder.Pair("FCGI_MPXS_CONNS", "1")).Stdout("A: b\n\nbo").Record(11, 0, new byte[8]));
        await connection.RespondAsync("dy");
        using var response = await sending.Within("a response");
        Assert.Equal("body", await response.Content.ReadAsStringAsync().Within("the body"));
    }
}
