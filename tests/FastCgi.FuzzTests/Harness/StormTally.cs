namespace FastCgi.FuzzTests.Harness;

/// <summary>What the peers of a storm did, counted by themselves.</summary>
public sealed class StormTally
{
    private readonly int[] _requests = new int[Enum.GetValues<Fate>().Length];
    private int _connections;
    private int _sent;

    public int Connections => Volatile.Read(ref _connections);

    /// <summary>Requests of which at least a part was sent.</summary>
    public int Sent => Volatile.Read(ref _sent);

    /// <summary>Those that the application has to see, or for abandoned ones may see.</summary>
    public int this[Fate fate] => Volatile.Read(ref _requests[(int)fate]);

    public void CountConnection() => Interlocked.Increment(ref _connections);

    /// <summary>A request without a fate broke off before the application could see it.</summary>
    public void CountRequest(Fate? fate)
    {
        Interlocked.Increment(ref _sent);
        if (fate is { } known)
        {
            Interlocked.Increment(ref _requests[(int)known]);
        }
    }
}
