namespace FastCgi.FunctionalTests.Harness;

/// <summary>Entries that another library has by the same number, so that their category counts.</summary>
internal static class HostingLogs
{
    /// <summary>The status code in "Request finished" of hosting, logged already or to come.</summary>
    internal static async Task<int> FinishedStatusAsync(this LogRecorder logs)
    {
        var finished = await logs.WaitForAsync(
            entry => entry.Category == "Microsoft.AspNetCore.Hosting.Diagnostics" && entry.EventId.Id == 2,
            "the log of the end of the request");
        return Convert.ToInt32(
            finished.State.Single(pair => pair.Key == "StatusCode").Value, CultureInfo.InvariantCulture);
    }

    /// <summary>The end of a connection.</summary>
    internal static Task WaitForConnectionStopAsync(this LogRecorder logs) => logs.WaitForAsync(
        entry => entry.EventId.Id == ConnectionStop && entry.Category == "FastCgi.AspNetCore.Connections",
        "the end of the connection");
}
