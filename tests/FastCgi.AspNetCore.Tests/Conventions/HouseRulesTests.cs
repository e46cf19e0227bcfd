using FastCgi.Client;
using FastCgi.Gateway.Forwarding;

namespace FastCgi.AspNetCore.Tests.Conventions;

/// <summary>Names that say something, and nothing open for inheritance that was not meant to be.</summary>
public class HouseRulesTests
{
    private static readonly string[] s_vagueNames = ["Helper", "Helpers", "Util", "Utils", "Manager"];

    [Fact]
    public void No_name_says_nothing() => Rule.Holds(Source.Files("src").Concat(Source.Files("tests"))
        .Where(static path => s_vagueNames.Any(
            name => Path.GetFileName(path).Split('.')[0].EndsWith(name, StringComparison.Ordinal)))
        .Select(Source.Relative));

    [Fact]
    public void Internal_classes_are_sealed_unless_they_are_made_to_derive_from()
    {
        var types = Types().ToList();
        var bases = types
            .SelectMany(static type => Ancestors(type))
            .Select(static type => type.IsGenericType ? type.GetGenericTypeDefinition() : type)
            .ToHashSet();
        Rule.Holds(types
            .Where(type => type is { IsClass: true, IsSealed: false, IsPublic: false, IsNestedPublic: false }
                && !bases.Contains(type) && !HasVirtualMembers(type))
            .Select(static type => type.FullName));
    }

    [Fact]
    public void Public_classes_are_sealed_unless_applications_override_their_members() => Rule.Holds(Types()
        .Where(static type => type is { IsPublic: true, IsClass: true, IsSealed: false } && !HasVirtualMembers(type))
        .Select(static type => type.FullName));

    private static IEnumerable<Type> Types() =>
        ((Assembly[])[typeof(FastCgiServerOptions).Assembly, typeof(RecordHeader).Assembly, typeof(FastCgiHandler).Assembly,
            typeof(RequestForwarder).Assembly])
        .SelectMany(static assembly => assembly.GetTypes())
        .Where(static type => type.GetCustomAttribute<CompilerGeneratedAttribute>() is null
            && type.Namespace?.StartsWith("FastCgi", StringComparison.Ordinal) == true
            && !type.FullName!.Contains('<', StringComparison.Ordinal));

    /// <summary>Its own ones: a seam for tests.</summary>
    private static bool HasVirtualMembers(Type type) => type
        .GetMethods(BindingFlags.DeclaredOnly | BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic)
        .Any(static method => method is { IsVirtual: true, IsFinal: false } && method.GetBaseDefinition() == method);

    private static IEnumerable<Type> Ancestors(Type type)
    {
        for (var at = type.BaseType; at is not null; at = at.BaseType)
        {
            yield return at;
        }
    }
}
