namespace FastCgi.WebServerKit;

/// <summary>A whole response, or as much of it as came.</summary>
/// <param name="IsTorn">The client can tell that the body is not all there.</param>
internal sealed record RawResponse(RawHead Head, byte[] Body, bool IsTorn)
{
    public int Status => Head.Status;

    public string Text => Encoding.UTF8.GetString(Body);

    public string? Header(string name) => Head.Value(name);
}
