namespace FastCgi.FunctionalTests.Paths;

/// <summary>
/// The methods that were entered and left, in order. Each method of an instrumented server calls <see cref="Enter"/>
/// first and <see cref="Leave"/> last.
/// </summary>
public static class Trail
{
    /// <summary>Stands for the application's handler.</summary>
    public const int Application = -1;

    /// <summary>The method that was entered last on this thread is left.</summary>
    public const int Left = -2;

    private const int MaxSteps = 20_000;

    private static readonly (int Thread, int Method)[] s_steps = new (int, int)[MaxSteps];
    private static volatile bool s_isRecording;
    private static int s_count;

    public static void Enter(int method)
    {
        if (s_isRecording)
        {
            var step = Interlocked.Increment(ref s_count) - 1;
            s_steps[step % MaxSteps] = (Environment.CurrentManagedThreadId, method);
        }
    }

    public static void Leave() => Enter(Left);

    public static void Begin()
    {
        s_count = 0;
        s_isRecording = true;
    }

    /// <summary>The last step of the thread that ran the application last; null before that.</summary>
    public static int? LastStep()
    {
        var steps = s_steps[..Volatile.Read(ref s_count)];
        var run = Array.FindLast(steps, static step => step.Method == Application);
        return run.Thread == 0 ? null : Array.FindLast(steps, step => step.Thread == run.Thread).Method;
    }

    public static IReadOnlyList<(int Thread, int Method)> End()
    {
        s_isRecording = false;
        Assert.InRange(s_count, 1, MaxSteps);
        return s_steps[..s_count];
    }
}
