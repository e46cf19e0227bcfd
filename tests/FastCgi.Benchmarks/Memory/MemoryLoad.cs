namespace FastCgi.Benchmarks.Memory;

/// <summary>One load, and what is read of the target's processes on its way.</summary>
internal abstract class MemoryLoad
{
    protected const double Mebibyte = 1024 * 1024;

    /// <summary>Of its table.</summary>
    public abstract string Title { get; }

    /// <summary>What each reading is.</summary>
    public abstract IReadOnlyList<string> Columns { get; }

    /// <summary>The most at a time.</summary>
    public abstract int Connections { get; }

    /// <summary>Whether the target has what it asks for.</summary>
    public abstract bool Fits(Target target);

    /// <summary>Loads a target that was just started. A reading for each column.</summary>
    /// <exception cref="InvalidOperationException">Something was not answered as it should be.</exception>
    public abstract Task<IReadOnlyList<double>> RunAsync(IFrontEnd front, RunningTarget target, string directory);
}
