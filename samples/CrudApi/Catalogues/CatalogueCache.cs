using System.Data.Common;
using CrudApiSample.Databases;
using CrudApiSample.Hosting;
using Microsoft.Extensions.Options;

namespace CrudApiSample.Catalogues;

/// <summary>The catalogue in memory. Grown old, it is read again by one request while the others use it.</summary>
internal sealed partial class CatalogueCache(
    Database database, IOptions<ApiOptions> options, Access access, TimeProvider time, ILogger<CatalogueCache> logger)
{
    private readonly TimeSpan _lifetime = TimeSpan.FromSeconds(options.Value.CatalogueLifetime);
    private readonly Dictionary<string, Operations> _allowed = Parse("Api:Tables", options.Value.Tables);
    private readonly Dictionary<string, Dictionary<string, Operations>> _users = options.Value.Users.ToDictionary(
        user => user.Key, user => Parse($"Api:Users:{user.Key}:Tables", user.Value.Tables), StringComparer.Ordinal);

    private volatile UserCatalogues _current = new(new Catalogue([]), []);
    private long _readAt;
    private int _isReading;

    /// <summary>Reads the catalogue for the first time.</summary>
    public async Task LoadAsync(CancellationToken cancellationToken)
    {
        _current = await ReadAsync(cancellationToken);
        Volatile.Write(ref _readAt, time.GetTimestamp());
        LogRead(logger, _current.All.Count);
    }

    /// <summary>What the sender of the request may use.</summary>
    public ValueTask<Catalogue> GetAsync(HttpContext context)
    {
        var current = GetAsync(context.RequestAborted);
        return access.IsOpen && current.IsCompletedSuccessfully
            ? new ValueTask<Catalogue>(current.Result.All)
            : ForUserAsync(current, context);
    }

    private static async ValueTask<Catalogue> ForUserAsync(ValueTask<UserCatalogues> catalogues, HttpContext context) =>
        (await catalogues).For(context.User);

    private ValueTask<UserCatalogues> GetAsync(CancellationToken cancellationToken)
    {
        var isFresh = _lifetime == TimeSpan.Zero || time.GetElapsedTime(Volatile.Read(ref _readAt)) < _lifetime;
        return isFresh || Interlocked.Exchange(ref _isReading, 1) != 0
            ? new ValueTask<UserCatalogues>(_current)
            : new ValueTask<UserCatalogues>(ReloadAsync(cancellationToken));
    }

    private async Task<UserCatalogues> ReadAsync(CancellationToken cancellationToken) =>
        new((await database.ReadCatalogueAsync(cancellationToken)).Restrict(_allowed), _users);

    private async Task<UserCatalogues> ReloadAsync(CancellationToken cancellationToken)
    {
        try
        {
            _current = await ReadAsync(cancellationToken);
            Volatile.Write(ref _readAt, time.GetTimestamp());
        }
        catch (DbException e)
        {
            // The old one may still be right, and the request will find out what is wrong.
            LogKept(logger, e.Message);
        }
        finally
        {
            Volatile.Write(ref _isReading, 0);
        }

        return _current;
    }

    private static Dictionary<string, Operations> Parse(string setting, Dictionary<string, string> tables) =>
        tables.ToDictionary(
            table => table.Key, table => Parse($"{setting}:{table.Key}", table.Value), StringComparer.Ordinal);

    private static Operations Parse(string setting, string text) =>
        Enum.TryParse<Operations>(text, ignoreCase: true, out var operations)
            ? operations
            : throw new InvalidOperationException(
                $"The setting {setting} is '{text}', but it has to be Read, Create, Update, Delete, several of them "
                + "with commas between, All or None.");

    [LoggerMessage(1, LogLevel.Information, "The database has {Count} tables and views.")]
    private static partial void LogRead(ILogger logger, int count);

    [LoggerMessage(2, LogLevel.Warning, "The catalogue could not be read again: {Reason}")]
    private static partial void LogKept(ILogger logger, string reason);
}
