namespace FastCgi.Benchmarks.Systems;

/// <summary>
/// Measures a scenario: for each round and target new processes, so that a cold one is cold and an idle one is not in
/// the way; the rounds are interleaved, target after target.
/// </summary>
internal sealed class SystemRun(SystemScenario scenario, int rounds, Report report)
{
    private bool _isAllRight = true;

    private Target Own => scenario.Targets[0];

    /// <returns>Whether this server answered everything, and what was checked of the others was right.</returns>
    public async Task<bool> RunAsync()
    {
        Dictionary<Target, string?> reasons = [];
        foreach (var target in scenario.Targets)
        {
            reasons[target] = await target.PrepareAsync();
        }

        if (reasons[Own] is { } missing)
        {
            report.WriteLeftOut(scenario.Name, missing);
            return false;
        }

        report.WriteTargets(scenario.Targets.Where(target => reasons[target] is null));
        foreach (var asked in scenario.Cases)
        {
            var table = await EnterAsync(asked);
            var rows = await MeasureAsync(table, await CheckAsync(table, reasons));
            _isAllRight &= rows[0] is { Reason: null, Failed: 0 };
            report.WriteTable(Title(table), rows, [.. rows.Skip(1).Select(static row => row.Target)]);
        }

        return _isAllRight;
    }

    private async Task<SystemCase> EnterAsync(SystemCase table)
    {
        if (scenario.EnterAsync is null)
        {
            return table;
        }

        await using var site = await SystemSite.StartAsync(Own, table);
        return table with { Workload = table.Workload with { Cookie = await scenario.EnterAsync(site.Address) } };
    }

    private string Title(SystemCase table) =>
        $"{scenario.Title}: `{table.Command}`; keep_conn {(table.KeepsConnections ? "on" : "off")}"
        + $"{(table.Processes > 1 ? $"; {table.Processes} processes" : "")}; "
        + (table.WarmUp == 0 ? "cold" : $"after {table.WarmUp.ToString("N0", CultureInfo.InvariantCulture)} requests");

    /// <summary>Each target is asked once, in a process that is not measured.</summary>
    private async Task<Dictionary<Target, string?>> CheckAsync(
        SystemCase table, Dictionary<Target, string?> absent)
    {
        var reasons = absent.ToDictionary();
        string? expected = null;
        foreach (var target in scenario.Targets.Where(target => absent[target] is null))
        {
            try
            {
                await using var site = await SystemSite.StartAsync(target, table);
                var answer = await CheckedAnswer.AskAsync(site.Route, site.Target, table.Workload);
                reasons[target] = answer.Reason;
                if (answer.Reason is null)
                {
                    string essence = scenario.Essence(answer.Body);
                    expected ??= essence;
                    reasons[target] = essence == expected ? null : $"answers otherwise: {Shorten(essence)}";
                }

                _isAllRight &= reasons[target] is null;
            }
            catch (InvalidOperationException exception)
            {
                reasons[target] = Fault(target, exception.Message);
            }
        }

        return reasons;
    }

    private async Task<IReadOnlyList<Row>> MeasureAsync(SystemCase table, Dictionary<Target, string?> reasons)
    {
        var samples = reasons.ToDictionary(static pair => pair.Key, static _ => new List<Sample>());
        for (int round = 1; round <= rounds; round++)
        {
            foreach (var target in scenario.Targets.Where(target => reasons[target] is null))
            {
                try
                {
                    var sample = await MeasureOnceAsync(table, target);
                    samples[target].Add(sample);
                    Console.Error.WriteLine($"{scenario.Name}, {table.Command}, round {round}: {target.Name} "
                        + $"{sample.RequestsPerSecond:N0}/s, {sample.Load.Failed} failed");
                }
                catch (InvalidOperationException exception)
                {
                    // Under such a load, that is a result: for this server a fault, for another one its row.
                    reasons[target] = Fault(target, exception.Message);
                }
            }
        }

        return [.. scenario.Targets.Select(target => new Row(target.Name, reasons[target], samples[target]))];
    }

    private static async Task<Sample> MeasureOnceAsync(SystemCase table, Target target)
    {
        await using var site = await SystemSite.StartAsync(target, table);
        if (table.WarmUp > 0)
        {
            await site.Route.LoadAsync(site.Target, table.Order with { Requests = table.WarmUp });
        }

        return await Sample.TakeAsync(site.Route, site.Target, table.Order);
    }

    private string Fault(Target target, string reason)
    {
        _isAllRight &= target != Own;
        return Shorten(reason);
    }

    /// <summary>On one line, as a table's remark.</summary>
    private static string Shorten(string text)
    {
        const int Longest = 300;
        string line = text.ReplaceLineEndings(" ");
        return line.Length <= Longest ? line : $"{line[..Longest]}…";
    }
}
