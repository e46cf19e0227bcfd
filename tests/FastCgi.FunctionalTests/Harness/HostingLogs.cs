using System.Globalization;

namespace FastCgi.FunctionalTests.Harness;

/// <summary>What hosting itself logs of a request, at the disposal of the application's context.</summary>
internal static class HostingLogs
{
    /// <summary>The status code in "Request finished", logged already or to come.</summary>
    internal static async Task<int> FinishedStatusAsync(this LogRecorder logs)
    {
        var finished = await logs.WaitForAsync(
            entry => entry.Category == "Microsoft.AspNetCore.Hosting.Diagnostics" && entry.EventId.Id == 2,
            "the log of the end of the request");
        return Convert.ToInt32(
            finished.State.Single(pair => pair.Key == "StatusCode").Value, CultureInfo.InvariantCulture);
    }
}
