using System.Reflection;
using Xunit.Sdk;
using Xunit.v3;

namespace FastCgi.WebServerKit;

/// <summary>Runs a theory once for each of these ways to the application; all of them when none is named.</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class BackEndsAttribute(params BackEndKind[] kinds) : DataAttribute
{
    public IReadOnlyList<BackEndKind> Kinds { get; } = kinds is [] ? Enum.GetValues<BackEndKind>() : kinds;

    public override ValueTask<IReadOnlyCollection<ITheoryDataRow>> GetData(
        MethodInfo testMethod, DisposalTracker disposalTracker) =>
        new([.. Kinds.Select(kind => new TheoryDataRow<BackEndKind>(kind))]);

    public override bool SupportsDiscoveryEnumeration() => true;
}
