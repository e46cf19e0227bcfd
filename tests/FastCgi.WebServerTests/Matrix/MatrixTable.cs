using System.Collections.Concurrent;

namespace FastCgi.WebServerTests.Matrix;

/// <summary>
/// Every column's web server, started when it is first asked, and what has come of each cell, written at the end for
/// people to look at.
/// </summary>
public sealed class MatrixTable : IAsyncLifetime
{
    private readonly Dictionary<MatrixColumn, Task<MatrixSite>> _sites = [];
    private readonly ConcurrentDictionary<(MatrixRow Row, MatrixColumn Column), string> _outcomes = new();
    private MatrixApps? _apps;

    public async ValueTask InitializeAsync() => _apps = await MatrixApps.StartAsync();

    public async ValueTask DisposeAsync()
    {
        foreach (var site in _sites.Values.Where(site => site.IsCompletedSuccessfully))
        {
            await (await site).DisposeAsync();
        }

        if (_apps is not null)
        {
            await _apps.DisposeAsync();
        }

        if (!_outcomes.IsEmpty)
        {
            await File.WriteAllTextAsync(
                Repository.Artifact(Path.Combine("tests", "web-server-matrix.md")),
                MatrixPage.Write((row, column) => _outcomes.GetValueOrDefault((row, column))));
        }
    }

    /// <summary>What came of it, and the log of the web server so far.</summary>
    internal async Task<(string Outcome, string Log)> AskAsync(MatrixRow row, MatrixColumn column)
    {
        if (!_sites.TryGetValue(column, out var site))
        {
            _sites[column] = site = MatrixSite.StartAsync(_apps!, column);
        }

        var outcome = await row.Ask(await site);
        _outcomes[(row, column)] = outcome;
        return (outcome, (await site).Log());
    }
}
