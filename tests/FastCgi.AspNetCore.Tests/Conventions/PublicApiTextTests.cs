using System.Diagnostics.CodeAnalysis;

namespace FastCgi.AspNetCore.Tests.Conventions;

/// <summary>A change that breaks a user's code, or its warnings, changes the text of the API.</summary>
public class PublicApiTextTests
{
    /// <summary>Each pair differs in one thing.</summary>
    public static TheoryData<Type, Type, string> Breaks => new()
    {
        { typeof(Base.Before), typeof(Base.After), "a base class" },
        { typeof(Interfaces.Before), typeof(Interfaces.After), "an interface" },
        { typeof(Virtual.Before), typeof(Virtual.After), "virtual" },
        { typeof(Abstract.Before), typeof(Abstract.After), "abstract" },
        { typeof(Override.Before), typeof(Override.After), "override" },
        { typeof(SealedOverride.Before), typeof(SealedOverride.After), "sealed override" },
        { typeof(Protected.Before), typeof(Protected.After), "protected" },
        { typeof(ProtectedInternal.Before), typeof(ProtectedInternal.After), "protected internal, which users see" },
        { typeof(ProtectedSetter.Before), typeof(ProtectedSetter.After), "the access of a setter" },
        { typeof(ProtectedField.Before), typeof(ProtectedField.After), "a protected field" },
        { typeof(ReadOnlyField.Before), typeof(ReadOnlyField.After), "a field that can be set" },
        { typeof(Events.Before), typeof(Events.After), "an event" },
        { typeof(EventType.Before), typeof(EventType.After), "the nullability of an event" },
        { typeof(TypeConstraint.Before<>), typeof(TypeConstraint.After<>), "a constraint of a type" },
        { typeof(MethodConstraint.Before), typeof(MethodConstraint.After), "a constraint of a method" },
        { typeof(NotNullConstraint.Before), typeof(NotNullConstraint.After), "notnull" },
        { typeof(NullableClass.Before), typeof(NullableClass.After), "class?" },
        { typeof(Unmanaged.Before), typeof(Unmanaged.After), "unmanaged" },
        { typeof(NewConstraint.Before), typeof(NewConstraint.After), "new()" },
        { typeof(ByRefLike.Before), typeof(ByRefLike.After), "allows ref struct" },
        { typeof(Variance.IBefore<>), typeof(Variance.IAfter<>), "variance" },
        { typeof(NullableParameter.Before), typeof(NullableParameter.After), "the nullability of a parameter" },
        { typeof(NullableElement.Before), typeof(NullableElement.After), "the nullability of an array's elements" },
        { typeof(NullableArgument.Before), typeof(NullableArgument.After), "the nullability of a type argument" },
        { typeof(NullableField.Before), typeof(NullableField.After), "the nullability of a field" },
        { typeof(NullableBase.Before), typeof(NullableBase.After), "the nullability of a base's argument" },
        { typeof(AllowsNull.Before), typeof(AllowsNull.After), "a setter that takes null" },
        { typeof(NotNullWhenTrue.Before), typeof(NotNullWhenTrue.After), "NotNullWhen" },
        { typeof(Oblivious.Before), typeof(Oblivious.After), "no word about nullability" },
        { typeof(RequiredMember.Before), typeof(RequiredMember.After), "required" },
        { typeof(DefaultValue.Before), typeof(DefaultValue.After), "a default" },
        { typeof(ParamsArray.Before), typeof(ParamsArray.After), "params" },
        { typeof(Scoped.Before), typeof(Scoped.After), "scoped" },
        { typeof(ReadOnlyMember.Before), typeof(ReadOnlyMember.After), "readonly" },
        { typeof(RefReturn.Before), typeof(RefReturn.After), "ref readonly" },
        { typeof(DefaultImplementation.IBefore), typeof(DefaultImplementation.IAfter), "a default implementation" },
        { typeof(Deprecated.Before), typeof(Deprecated.After), "Obsolete" },
        { typeof(FlagsEnum.Before), typeof(FlagsEnum.After), "Flags" },
        { typeof(Indexer.Before), typeof(Indexer.After), "an indexer's parameter" },
        { typeof(ConstantType.Before), typeof(ConstantType.After), "the type of a constant" },
    };

    [Theory]
    [MemberData(nameof(Breaks))]
    public void A_break_shows(Type before, Type after, string change) =>
        Assert.False(Text(before) == Text(after), $"{change} makes no difference:\n{Text(before)}");

    [Fact]
    public void The_text_of_a_type_is_this() => Assert.Equal(
        """
        class FastCgi.AspNetCore.Tests.Conventions.PublicApiTextTests.Whole<T> : List<T>, IDisposable where T : class, new()
          PublicApiTextTests.Whole<T>.Dispose() -> Void
          [Obsolete("Old.")] PublicApiTextTests.Whole<T>.Old -> String?
          event PublicApiTextTests.Whole<T>.Changed -> EventHandler<T>?
          protected PublicApiTextTests.Whole<T>.Whole()
          protected virtual PublicApiTextTests.Whole<T>.Find<TKey>(TKey key, Int32 count = 5) -> Dictionary<String, T?[]> where TKey : notnull
          static PublicApiTextTests.Whole<T>.Name { get; protected set; } -> String
        """.ReplaceLineEndings("\n"),
        string.Join('\n', PublicApi.Of(typeof(Whole<>))));

    private static string Text(Type type) => string.Join('\n', PublicApi.Of(type))
        .Replace("After", "Before", StringComparison.Ordinal)
        .Replace("IBefore", "Before", StringComparison.Ordinal);

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

    public static class Base
    {
        public class Before : EventArgs;
        public class After;
    }

    public static class Interfaces
    {
        public class Before : ICloneable { public object Clone() => this; }
        public class After { public object Clone() => this; }
    }

    public static class Virtual
    {
        public class Before { public virtual void M() { } }
        public class After { public void M() { } }
    }

    public static class Abstract
    {
        public abstract class Before { public abstract void M(); }
        public abstract class After { public virtual void M() { } }
    }

    public static class Override
    {
        public class Before { public override string ToString() => ""; }
        public class After { public new virtual string ToString() => ""; }
    }

    public static class SealedOverride
    {
        public class Before { public override string ToString() => ""; }
        public class After { public sealed override string ToString() => ""; }
    }

    public static class Protected
    {
        public class Before { public void M() { } }
        public class After { protected void M() { } }
    }

    public static class ProtectedInternal
    {
        public class Before { protected internal void M() { } }
        public class After { internal void M() { } }
    }

    public static class ProtectedSetter
    {
        public class Before { public int P { get; set; } }
        public class After { public int P { get; protected set; } }
    }

    public static class ProtectedField
    {
        public class Before { protected int F; }
        public class After { private int F; }
    }

    public static class ReadOnlyField
    {
        public class Before { public int F; }
        public class After { public readonly int F; }
    }

    public static class Events
    {
        public class Before { public event EventHandler? E; }
        public class After;
    }

    public static class EventType
    {
        public class Before { public event EventHandler<string>? E; }
        public class After { public event EventHandler<string?>? E; }
    }

    public static class TypeConstraint
    {
        public class Before<T>;
        public class After<T> where T : IDisposable;
    }

    public static class MethodConstraint
    {
        public class Before { public void M<T>() where T : class { } }
        public class After { public void M<T>() where T : struct { } }
    }

    public static class NotNullConstraint
    {
        public class Before { public void M<T>() { } }
        public class After { public void M<T>() where T : notnull { } }
    }

    public static class NullableClass
    {
        public class Before { public void M<T>() where T : class? { } }
        public class After { public void M<T>() where T : class { } }
    }

    public static class Unmanaged
    {
        public class Before { public void M<T>() where T : struct { } }
        public class After { public void M<T>() where T : unmanaged { } }
    }

    public static class NewConstraint
    {
        public class Before { public void M<T>() where T : class { } }
        public class After { public void M<T>() where T : class, new() { } }
    }

    public static class ByRefLike
    {
        public class Before { public void M<T>() where T : allows ref struct { } }
        public class After { public void M<T>() { } }
    }

    public static class Variance
    {
        public interface IBefore<out T>;
        public interface IAfter<T>;
    }

    public static class NullableParameter
    {
        public class Before { public void M(string? a) { } }
        public class After { public void M(string a) { } }
    }

    public static class NullableElement
    {
        public class Before { public void M(string?[] a) { } }
        public class After { public void M(string[] a) { } }
    }

    public static class NullableArgument
    {
        public class Before { public void M(Func<string?, Task<string>> a) { } }
        public class After { public void M(Func<string, Task<string?>> a) { } }
    }

    public static class NullableField
    {
        public class Before { public string? F; }
        public class After { public string F = ""; }
    }

    public static class NullableBase
    {
        public class Before : List<Dictionary<string, object?>>;
        public class After : List<Dictionary<string, object>>;
    }

    public static class AllowsNull
    {
        public class Before { [AllowNull] public string P { get; set => field = value ?? ""; } = ""; }
        public class After { public string P { get; set; } = ""; }
    }

    public static class NotNullWhenTrue
    {
        public class Before { public bool M([NotNullWhen(true)] string? a) => a is not null; }
        public class After { public bool M(string? a) => a is not null; }
    }

    public static class Oblivious
    {
#nullable disable
        public class Before { public void M(string a) { } }
#nullable restore
        public class After { public void M(string a) { } }
    }

    public static class RequiredMember
    {
        public class Before { public int P { get; init; } }
        public class After { public required int P { get; init; } }
    }

    public static class DefaultValue
    {
        public class Before { public void M(string a = "a", int b = 1) { } }
        public class After { public void M(string a = "a", int b = 2) { } }
    }

    public static class ParamsArray
    {
        public class Before { public void M(params int[] a) { } }
        public class After { public void M(int[] a) { } }
    }

    public static class Scoped
    {
        public class Before { public void M(scoped ref ReadOnlySpan<byte> a) { } }
        public class After { public void M(ref ReadOnlySpan<byte> a) { } }
    }

    public static class ReadOnlyMember
    {
        public struct Before { public int F; public readonly int M() => F; }
        public struct After { public int F; public int M() => F; }
    }

    public static class RefReturn
    {
        public class Before { private int _f; public ref int M() => ref _f; }
        public class After { private int _f; public ref readonly int M() => ref _f; }
    }

    public static class DefaultImplementation
    {
        public interface IBefore { void M(); }
        public interface IAfter { void M() { } }
    }

    public static class Deprecated
    {
        public class Before { public void M() { } }
        public class After { [Obsolete("Use N.")] public void M() { } }
    }

    public static class FlagsEnum
    {
        [Flags] public enum Before { A = 1 }
        public enum After { A = 1 }
    }

    public static class Indexer
    {
        public class Before { public int this[int index] => index; }
        public class After { public int this[long index] => (int)index; }
    }

    public static class ConstantType
    {
        public class Before { public const int C = 1; }
        public class After { public const long C = 1; }
    }
}
