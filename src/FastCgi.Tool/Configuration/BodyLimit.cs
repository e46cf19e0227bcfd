namespace FastCgi.Tool.Configuration;

/// <summary>The limit of a request body that an application's settings name.</summary>
/// <param name="Bytes">Null: no limit.</param>
internal sealed record BodyLimit(long? Bytes);
