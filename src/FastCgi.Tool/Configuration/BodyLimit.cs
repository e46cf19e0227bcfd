namespace FastCgi.Tool.Configuration;

/// <summary>The limit of a request body in an application's settings.</summary>
/// <param name="Bytes">Null for no limit.</param>
internal sealed record BodyLimit(long? Bytes);
