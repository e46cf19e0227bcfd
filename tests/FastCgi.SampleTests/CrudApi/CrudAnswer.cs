namespace FastCgi.SampleTests.CrudApi;

/// <summary>An answer of the API.</summary>
public sealed record CrudAnswer(HttpStatusCode Status, string Text, string? ContentType, string? Location, string Allow)
{
    public JsonElement Json
    {
        get
        {
            using var document = JsonDocument.Parse(Text);
            return document.RootElement.Clone();
        }
    }

    /// <summary>The ids of the records of a list.</summary>
    public IEnumerable<int> Ids =>
        Json.GetProperty("records").EnumerateArray().Select(record => record.GetProperty("id").GetInt32());

    /// <summary>Of a problem.</summary>
    public string Detail => Json.GetProperty("detail").GetString()!;

    public CrudAnswer Expect(HttpStatusCode status)
    {
        Assert.True(Status == status, $"{(int)Status} instead of {(int)status}: {Text}");
        return this;
    }

    /// <summary>Fails unless it is a problem of that status; its detail or column names the part.</summary>
    public CrudAnswer ExpectProblem(HttpStatusCode status, string part = "")
    {
        Expect(status);
        Assert.Equal("application/problem+json", ContentType);
        Assert.Equal((int)status, Json.GetProperty("status").GetInt32());
        Assert.Contains(part, Detail, StringComparison.Ordinal);
        return this;
    }
}
