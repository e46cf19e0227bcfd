using System.Diagnostics.CodeAnalysis;

namespace FastCgi.AspNetCore.Tests.Conventions;

/// <summary>A change that breaks a user's code, or its warnings, changes the text of the API.</summary>
public class PublicApiTextTests
{
    /// <summary>Each type differs in one thing before and after.</summary>
    public static TheoryData<string> Breaks => [.. typeof(Before).GetNestedTypes().Select(static type => type.Name)];

    [Theory, MemberData(nameof(Breaks))]
    public void A_break_shows(string change) =>
        Assert.NotEqual(Text(typeof(Before), change), Text(typeof(After), change));

    [Fact]
    public void The_text_of_a_type_is_this() => Assert.Equal(
        """
        class FastCgi.AspNetCore.Tests.Conventions.PublicApiTextTests.Whole<T> : List<T!>, IDisposable where T : class!, new()
          protected PublicApiTextTests.Whole<T>.Whole()
          event EventHandler<T!>? PublicApiTextTests.Whole<T>.Changed
          void PublicApiTextTests.Whole<T>.Dispose()
          protected virtual Dictionary<string!, T?[]!>! PublicApiTextTests.Whole<T>.Find<TKey>(TKey key, int count = 5) where TKey : notnull
          static string! PublicApiTextTests.Whole<T>.Name { get; protected set; }
          [Obsolete("Old.")] string? PublicApiTextTests.Whole<T>.Old
        """.ReplaceLineEndings("\n"),
        string.Join('\n', PublicApi.Of(typeof(Whole<>))));

    private static string Text(Type side, string name) => string.Join('\n', PublicApi.Of(side.GetNestedType(name)!))
        .Replace($".{nameof(After)}.", $".{nameof(Before)}.", StringComparison.Ordinal);

    // The members are read, and never used.
#pragma warning disable CS0067, CS0169, CA1051, CA1710
    public class Whole<T> : List<T>, IDisposable
        where T : class, new()
    {
        [Obsolete("Old.")]
        public string? Old;

        private static string s_name = "";

        protected Whole()
        {
        }

        public event EventHandler<T>? Changed;

        public static string Name
        {
            get => s_name;
            protected set => s_name = value;
        }

        public void Dispose()
        {
        }

        protected virtual Dictionary<string, T?[]> Find<TKey>(TKey key, int count = 5)
            where TKey : notnull => [];

        private protected void Hidden()
        {
        }
    }

    public static class Before
    {
        public class Base : EventArgs;
        public class Interfaces : ICloneable { public object Clone() => this; }
        public class Virtual { public virtual void M() { } }
        public abstract class Abstract { public abstract void M(); }
        public class Override { public override string ToString() => ""; }
        public class SealedOverride { public override string ToString() => ""; }
        public class Protected { public void M() { } }
        public class ProtectedInternal { protected internal void M() { } }
        public class ProtectedSetter { public int P { get; set; } }
        public class ProtectedField { protected int F; }
        public class ReadOnlyField { public int F; }
        public class Events { public event EventHandler? E; }
        public class EventType { public event EventHandler<string>? E; }
        public class TypeConstraint<T>;
        public class MethodConstraint { public void M<T>() where T : class { } }
        public class NotNullConstraint { public void M<T>() { } }
        public class NullableClass { public void M<T>() where T : class? { } }
        public class Unmanaged { public void M<T>() where T : struct { } }
        public class NewConstraint { public void M<T>() where T : class { } }
        public class ByRefLike { public void M<T>() where T : allows ref struct { } }
        public interface IVariance<out T>;
        public class NullableParameter { public void M(string? a) { } }
        public class NullableElement { public void M(string?[] a) { } }
        public class NullableArgument { public void M(Func<string?, Task<string>> a) { } }
        public class NullableField { public string? F; }
        public class NullableBase : List<Dictionary<string, object?>>;
        public class AllowsNull { [AllowNull] public string P { get; set => field = value ?? ""; } = ""; }
        public class NotNullWhenTrue { public bool M([NotNullWhen(true)] string? a) => a is not null; }
#nullable disable
        public class Oblivious { public void M(string a) { } }
#nullable restore
        public class RequiredMember { public int P { get; init; } }
        public class DefaultValue { public void M(string a = "a", int b = 1) { } }
        public class ParamsArray { public void M(params int[] a) { } }
        public class Scoped { public void M(scoped ref ReadOnlySpan<byte> a) { } }
        public struct ReadOnlyMember { public int F; public readonly int M() => F; }
        public class RefReturn { private int _f; public ref int M() => ref _f; }
        public interface IDefaultImplementation { void M(); }
        public class Deprecated { public void M() { } }
        [Flags] public enum FlagsEnum { A = 1 }
        public class Indexer { public int this[int index] => index; }
        public class ConstantType { public const int C = 1; }
    }

    public static class After
    {
        public class Base;
        public class Interfaces { public object Clone() => this; }
        public class Virtual { public void M() { } }
        public abstract class Abstract { public virtual void M() { } }
        public class Override { public new virtual string ToString() => ""; }
        public class SealedOverride { public sealed override string ToString() => ""; }
        public class Protected { protected void M() { } }
        public class ProtectedInternal { internal void M() { } }
        public class ProtectedSetter { public int P { get; protected set; } }
        public class ProtectedField { private int F; }
        public class ReadOnlyField { public readonly int F; }
        public class Events;
        public class EventType { public event EventHandler<string?>? E; }
        public class TypeConstraint<T> where T : IDisposable;
        public class MethodConstraint { public void M<T>() where T : struct { } }
        public class NotNullConstraint { public void M<T>() where T : notnull { } }
        public class NullableClass { public void M<T>() where T : class { } }
        public class Unmanaged { public void M<T>() where T : unmanaged { } }
        public class NewConstraint { public void M<T>() where T : class, new() { } }
        public class ByRefLike { public void M<T>() { } }
        public interface IVariance<T>;
        public class NullableParameter { public void M(string a) { } }
        public class NullableElement { public void M(string[] a) { } }
        public class NullableArgument { public void M(Func<string, Task<string?>> a) { } }
        public class NullableField { public string F = ""; }
        public class NullableBase : List<Dictionary<string, object>>;
        public class AllowsNull { public string P { get; set; } = ""; }
        public class NotNullWhenTrue { public bool M(string? a) => a is not null; }
        public class Oblivious { public void M(string a) { } }
        public class RequiredMember { public required int P { get; init; } }
        public class DefaultValue { public void M(string a = "a", int b = 2) { } }
        public class ParamsArray { public void M(int[] a) { } }
        public class Scoped { public void M(ref ReadOnlySpan<byte> a) { } }
        public struct ReadOnlyMember { public int F; public int M() => F; }
        public class RefReturn { private int _f; public ref readonly int M() => ref _f; }
        public interface IDefaultImplementation { void M() { } }
        public class Deprecated { [Obsolete("Use N.")] public void M() { } }
        public enum FlagsEnum { A = 1 }
        public class Indexer { public int this[long index] => (int)index; }
        public class ConstantType { public const long C = 1; }
    }
}
