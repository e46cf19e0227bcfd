using Xunit;

namespace FastCgi.TestKit;

/// <summary>Random choices, always the same for a seed. Its text says what was chosen.</summary>
public sealed class SeededChoices(int seed)
{
    private readonly Random _random = new(seed);
    private readonly List<string> _notes = [];

    public int Below(int limit) => _random.Next(limit);

    public T Pick<T>(params ReadOnlySpan<T> values) => values[_random.Next(values.Length)];

    public string Note(string note)
    {
        _notes.Add(note);
        return note;
    }

    /// <summary>Once in <paramref name="times"/>.</summary>
    public void Sometimes(int times, string note, Action action)
    {
        if (_random.Next(times) == 0)
        {
            Note(note);
            action();
        }
    }

    public override string ToString() => string.Join("; ", _notes);

    /// <summary>
    /// Runs a test for many seeds: from FASTCGI_FUZZ_SEED or 1 on, as many as the variable says. Fails with all failures
    /// and the commands that repeat them.
    /// </summary>
    public static async Task TryAllAsync(string variable, int usual, string project, Func<int, Task> test)
    {
        List<string> failures = [];
        var first = RunSettings.Number("FASTCGI_FUZZ_SEED") ?? 1;
        var count = RunSettings.Number(variable) ?? usual;
        for (var seed = first; seed < first + count; seed++)
        {
            try
            {
                await test(seed);
            }
            catch (Exception exception)
            {
                failures.Add($"{exception.Message}\nRepeat it: FASTCGI_FUZZ_SEED={seed} {variable}=1 bash tests/run --only {project}\n");
            }
        }

        Assert.True(failures.Count == 0, string.Join('\n', failures));
    }
}
