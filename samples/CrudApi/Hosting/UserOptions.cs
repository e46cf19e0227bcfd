namespace CrudApiSample.Hosting;

/// <summary>A user, in the section <c>Api:Users:NAME</c> of the configuration.</summary>
public sealed class UserOptions
{
    /// <summary>What the user sends in <c>X-API-Key</c>; null when the user has Bearer tokens only.</summary>
    public string? Key { get; set; }

    /// <summary>
    /// As <see cref="ApiOptions.Tables"/>, which limits it; empty, which is the default, for all that is allowed there.
    /// </summary>
    public Dictionary<string, string> Tables { get; } = new(StringComparer.Ordinal);
}
