namespace FastCgi.TestKit;

/// <summary>One order of steps fails; the message prints it.</summary>
public sealed class InterleavingException(IReadOnlyList<string> order, Exception failure)
    : Exception(Describe(order, failure), failure)
{
    /// <summary>The steps up to the failure, each as "actor: what it did".</summary>
    public IReadOnlyList<string> Order => order;

    private static string Describe(IReadOnlyList<string> order, Exception failure) =>
        $"{failure.Message}{Environment.NewLine}after these steps:{Environment.NewLine}"
        + string.Join(Environment.NewLine, order.Select(static (step, i) => $"{i + 1,4}. {step}"));
}
