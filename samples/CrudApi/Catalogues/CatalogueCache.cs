using System.Data.Common;
using System.Security.Claims;
using CrudApiSample.Databases;
using CrudApiSample.Hosting;
using CrudApiSample.Problems;
using Microsoft.Extensions.Options;

namespace CrudApiSample.Catalogues;

/// <summary>
/// The catalogue in memory. It is read before the server takes requests: a database that is not there ends the start.
/// Grown old, it is read again by one request while the others use it.
/// </summary>
internal sealed partial class CatalogueCache(
    Database database, IOptions<ApiOptions> options, TimeProvider time, ILogger<CatalogueCache> logger) : IHostedService
{
    private const string OperationNames =
        "Read, Create, Update, Delete, several of them with commas between, All or None";

    private readonly TimeSpan _lifetime = TimeSpan.FromSeconds(options.Value.CatalogueLifetime);
    private readonly Dictionary<string, Operations> _tables =
        Parse<Operations>("Api:Tables", options.Value.Tables, OperationNames);

    private readonly Dictionary<string, Dictionary<string, ColumnRule>> _columns = options.Value.Columns.ToDictionary(
        table => table.Key,
        table => Parse<ColumnRule>($"Api:Columns:{table.Key}", table.Value, "Hidden, ReadOnly or Json"),
        StringComparer.Ordinal);

    private readonly Dictionary<string, Dictionary<string, Operations>> _users = options.Value.Users.ToDictionary(
        user => user.Key,
        user => Parse<Operations>($"Api:Users:{user.Key}:Tables", user.Value.Tables, OperationNames),
        StringComparer.Ordinal);

    private volatile UserCatalogues _current = new(new Catalogue([]), []);
    private long _readAt;
    private int _isReading;

    public async Task StartAsync(CancellationToken cancellationToken)
    {
        try
        {
            await ReadAsync(cancellationToken);
        }
        catch (DbException e)
        {
            throw new InvalidOperationException($"The {database.Name} database cannot be read: {e.Message}", e);
        }

        LogRead(logger, _current.All.Tables.Count());
    }

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    /// <summary>What the sender of the request may use. The description of the API is open to strangers.</summary>
    public async ValueTask<Catalogue> GetAsync(HttpContext context)
    {
        var isFresh = _lifetime == TimeSpan.Zero || time.GetElapsedTime(Volatile.Read(ref _readAt)) < _lifetime;
        if (!isFresh && Interlocked.Exchange(ref _isReading, 1) == 0)
        {
            try
            {
                await ReadAsync(context.RequestAborted);
            }
            catch (Exception e) when (e is DbException or InvalidOperationException)
            {
                // The old one may still be right, and the request will find out what is wrong.
                LogKept(logger, e.Message);
            }
            finally
            {
                Volatile.Write(ref _isReading, 0);
            }
        }

        return _current.For(context.User);
    }

    private async Task ReadAsync(CancellationToken cancellationToken)
    {
        var catalogue = await database.ReadCatalogueAsync(cancellationToken);
        _current = new(catalogue.Apply(_columns).Restrict(_tables), _users);
        Volatile.Write(ref _readAt, time.GetTimestamp());
    }

    private static Dictionary<string, T> Parse<T>(string setting, Dictionary<string, string> values, string names)
        where T : struct, Enum =>
        values.ToDictionary(
            pair => pair.Key,
            pair => Enum.TryParse<T>(pair.Value, ignoreCase: true, out var value)
                ? value
                : throw new InvalidOperationException(
                    $"The setting {setting}:{pair.Key} is '{pair.Value}', but it has to be {names}."),
            StringComparer.Ordinal);

    [LoggerMessage(1, LogLevel.Information, "The database has {Count} tables and views.")]
    private static partial void LogRead(ILogger logger, int count);

    [LoggerMessage(2, LogLevel.Warning, "The catalogue could not be read again: {Reason}")]
    private static partial void LogKept(ILogger logger, string reason);

    /// <summary>The tables of all, and those of each user.</summary>
    private sealed class UserCatalogues(Catalogue all, Dictionary<string, Dictionary<string, Operations>> users)
    {
        private readonly Dictionary<string, Catalogue> _byUser =
            users.ToDictionary(user => user.Key, user => all.Restrict(user.Value), StringComparer.Ordinal);

        public Catalogue All => all;

        public Catalogue For(ClaimsPrincipal principal)
        {
            if (_byUser.Count == 0 || principal.Identity?.IsAuthenticated != true
                || Access.UserOf(principal) is not { } name)
            {
                return all;
            }

            if (!_byUser.TryGetValue(name, out var catalogue) && !_byUser.TryGetValue("*", out catalogue))
            {
                // The token is valid, but its user may do nothing here.
                Refuse.Request(StatusCodes.Status403Forbidden, $"The user '{name}' may use no table.");
            }

            return catalogue;
        }
    }
}
