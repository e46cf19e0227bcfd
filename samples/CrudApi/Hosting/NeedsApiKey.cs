namespace CrudApiSample.Hosting;

/// <summary>Marks the endpoints that the API key protects, where one is set.</summary>
internal sealed class NeedsApiKey
{
    public static readonly NeedsApiKey Instance = new();

    private NeedsApiKey()
    {
    }
}
