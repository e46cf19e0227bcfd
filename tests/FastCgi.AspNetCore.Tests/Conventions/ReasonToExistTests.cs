namespace FastCgi.AspNetCore.Tests.Conventions;

/// <summary>A type has a reason to exist.</summary>
public sealed class ReasonToExistTests
{
    private const int MostParameters = 5;

    [Fact]
    public void An_internal_interface_has_two_implementations_or_a_test_double()
    {
        var doubles = typeof(ReasonToExistTests).Assembly.GetTypes();
        Assert.Equal([], Names(Types()
            .Where(type => type is { IsInterface: true, IsPublic: false }
                && Types().Count(other => !other.IsInterface && type.IsAssignableFrom(other)) < 2
                && !doubles.Any(type.IsAssignableFrom))));
    }

    [Fact]
    public void A_constructor_has_five_parameters_at_most() => Assert.Equal([], Names(Types()
        .Where(static type => !type.IsPublic && Parameters(type).Any(static some => some.Length > MostParameters))));

    [Fact]
    public void No_type_hands_its_lock_to_another() => Assert.Equal([], Names(Types()
        .Where(static type => Parameters(type).Any(
            static some => some.Any(static one => one.ParameterType == typeof(Lock))))));

    private static IEnumerable<Type> Types() => typeof(FastCgiServerOptions).Assembly.GetTypes()
        .Where(static type => !type.IsNested && type.Namespace?.StartsWith("FastCgi", StringComparison.Ordinal) == true
            && type.GetCustomAttribute<CompilerGeneratedAttribute>() is null);

    private static IEnumerable<ParameterInfo[]> Parameters(Type type) => type.IsSubclassOf(typeof(Delegate))
        ? []
        : type.GetConstructors(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic)
            .Select(static constructor => constructor.GetParameters());

    private static IEnumerable<string> Names(IEnumerable<Type> types) =>
        types.Select(static type => type.Name.Split('`')[0]).Distinct().Order(StringComparer.Ordinal);
}
