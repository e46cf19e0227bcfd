namespace FastCgi.FunctionalTests.Harness;

/// <summary>Callbacks of a response that await nothing.</summary>
internal static class Callbacks
{
    internal static void OnStarting(this HttpResponse response, Action callback) => response.OnStarting(() =>
    {
        callback();
        return Task.CompletedTask;
    });

    internal static void OnCompleted(this HttpResponse response, Action callback) => response.OnCompleted(() =>
    {
        callback();
        return Task.CompletedTask;
    });
}
