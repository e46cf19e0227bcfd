using System.Data.Common;
using CrudApiSample.Databases;
using CrudApiSample.Hosting;
using Microsoft.Extensions.Options;

namespace CrudApiSample.Catalogues;

/// <summary>The catalogue in memory. Grown old, it is read again by one request while the others use it.</summary>
public sealed partial class CatalogueCache(
    Database database, IOptions<ApiOptions> options, TimeProvider time, ILogger<CatalogueCache> logger)
{
    private readonly TimeSpan _lifetime = TimeSpan.FromSeconds(options.Value.CatalogueLifetime);
    private readonly Dictionary<string, Operations> _allowed = options.Value.Tables
        .ToDictionary(pair => pair.Key, pair => Parse(pair.Key, pair.Value), StringComparer.Ordinal);

    private volatile Catalogue _current = new([]);
    private long _readAt;
    private int _isReading;

    /// <summary>Reads the catalogue for the first time.</summary>
    public async Task LoadAsync(CancellationToken cancellationToken)
    {
        _current = (await database.ReadCatalogueAsync(cancellationToken)).Restrict(_allowed);
        Volatile.Write(ref _readAt, time.GetTimestamp());
        LogRead(logger, _current.Count);
    }

    public ValueTask<Catalogue> GetAsync(CancellationToken cancellationToken)
    {
        var isFresh = _lifetime == TimeSpan.Zero || time.GetElapsedTime(Volatile.Read(ref _readAt)) < _lifetime;
        return isFresh || Interlocked.Exchange(ref _isReading, 1) != 0
            ? new ValueTask<Catalogue>(_current)
            : new ValueTask<Catalogue>(ReloadAsync(cancellationToken));
    }

    private async Task<Catalogue> ReloadAsync(CancellationToken cancellationToken)
    {
        try
        {
            _current = (await database.ReadCatalogueAsync(cancellationToken)).Restrict(_allowed);
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

    private static Operations Parse(string table, string text) =>
        Enum.TryParse<Operations>(text, ignoreCase: true, out var operations)
            ? operations
            : throw new InvalidOperationException(
                $"The setting Api:Tables:{table} is '{text}', but it has to be Read, Create, Update, Delete, several "
                + "of them with commas between, All or None.");

    [LoggerMessage(1, LogLevel.Information, "The database has {Count} tables and views.")]
    private static partial void LogRead(ILogger logger, int count);

    [LoggerMessage(2, LogLevel.Warning, "The catalogue could not be read again: {Reason}")]
    private static partial void LogKept(ILogger logger, string reason);
}
