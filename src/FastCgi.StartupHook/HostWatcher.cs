using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace FastCgi.StartupHook;

/// <summary>Waits for the host that the application builds.</summary>
internal sealed class HostWatcher : IObserver<DiagnosticListener>, IObserver<KeyValuePair<string, object?>>
{
    private const string Listener = "Microsoft.Extensions.Hosting";
    private const string Building = "HostBuilding";

    private readonly Action<Exception> _fail;

    private HostWatcher(Action<Exception> fail) => _fail = fail;

    /// <param name="fail">Called with exceptions, which must not leave an event.</param>
    public static void Start(Action<Exception> fail) =>
        DiagnosticListener.AllListeners.Subscribe(new HostWatcher(fail));

    public void OnNext(DiagnosticListener value)
    {
        if (value.Name == Listener)
        {
            value.Subscribe(this);
        }
    }

    public void OnNext(KeyValuePair<string, object?> value)
    {
        if (value.Key != Building || value.Value is null)
        {
            return;
        }

        try
        {
            Replace(value.Value);
        }
        catch (Exception exception)
        {
            _fail(exception);
        }
    }

    public void OnCompleted()
    {
    }

    public void OnError(Exception error)
    {
    }

    /// <summary>Separate, because only this code needs the types of hosting.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Replace(object builder) => ServerReplacement.OnBuilding(builder);
}
