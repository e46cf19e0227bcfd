namespace MvcSample.Models;

/// <summary>The only account. It is printed on the sign-in page: this sample is about cookies, not about passwords.</summary>
internal static class DemoUser
{
    public const string Name = "demo";
    public const string Password = "fastcgi";

    public static bool Matches(SignInInput input) => input is { UserName: Name, Password: Password };
}
