using System.ComponentModel.DataAnnotations;

namespace CrudApiSample.Hosting;

/// <summary>The section <c>Api</c> of the configuration, read once at the start.</summary>
public sealed class ApiOptions
{
    /// <summary>Records on a page when the request does not say how many. Default 20.</summary>
    [Range(1, 1_000_000)]
    public int PageSize { get; set; } = 20;

    /// <summary>The most records that a request may ask for on a page. Default 1000.</summary>
    [Range(1, 1_000_000)]
    public int MaxPageSize { get; set; } = 1000;

    /// <summary>The most records that one request may name in its path or bring in its body. Default 100.</summary>
    [Range(1, 10_000)]
    public int MaxRecords { get; set; } = 100;

    /// <summary>The most records that a request may join of one table. Default 1000.</summary>
    [Range(1, 100_000)]
    public int MaxJoinedRecords { get; set; } = 1000;

    /// <summary>The largest body taken, in bytes. Default 1 MiB.</summary>
    [Range(1, 1_000_000_000)]
    public int MaxBodySize { get; set; } = 1024 * 1024;

    /// <summary>Seconds until the catalogue is read again; 0 means never. Default 60.</summary>
    [Range(0, 86_400)]
    public int CatalogueLifetime { get; set; } = 60;

    /// <summary>
    /// The tables that are served, and what may be done with each, as <c>Read, Create</c>; <c>*</c> stands for all
    /// others. Empty, which is the default, allows everything with all.
    /// </summary>
    public Dictionary<string, string> Tables { get; } = new(StringComparer.Ordinal);

    /// <summary>
    /// By table and column, as <c>Hidden</c>, <c>ReadOnly</c>, <c>Json</c> or <c>ReadOnly, Json</c>. Each has to exist.
    /// </summary>
    public Dictionary<string, Dictionary<string, string>> Columns { get; } = new(StringComparer.Ordinal);

    /// <summary>A key for <c>X-API-Key</c> whose owner may do everything that <see cref="Tables"/> allows.</summary>
    public string? Key { get; set; }

    /// <summary>
    /// By name, as the <c>sub</c> of Bearer tokens has it; <c>*</c> stands for tokens of all others. Without any, the
    /// owner of a token may do everything that <see cref="Tables"/> allows.
    /// </summary>
    public Dictionary<string, UserOptions> Users { get; } = new(StringComparer.Ordinal);

    /// <summary>Origins whose pages may use the API, <c>*</c> for all. Default none.</summary>
    public IList<string> CorsOrigins { get; } = [];
}

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
